"""How long renders take beside other ways to the same objects: `python -m benchmarks`.

Whole processes are measured from outside, in turns, so that whatever else the machine
does falls on all of them; what is reported are medians and the ratios between them. No
test asserts a time.
"""
