"""Our Hanabi with the faces of other libraries, one module each, which imports its library when it is imported."""
