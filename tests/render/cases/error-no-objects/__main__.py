import pulumi

pulumi.export("nothing", 0)
