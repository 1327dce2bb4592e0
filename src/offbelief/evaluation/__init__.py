"""Room 5: what did we get?"""
