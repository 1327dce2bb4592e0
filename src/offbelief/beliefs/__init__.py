"""Room 2: what might the hidden state be?"""
