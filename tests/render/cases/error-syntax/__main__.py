import pulumi

if True
    pass
