"""Keeps Python from looking for garbage: a program of a stack ends before there is any to speak of.

It took a tenth of the time of an installer's program, mostly while it imports the SDK.
"""

import gc

gc.disable()
