"""What may go wrong in the demo."""


class DemoError(Exception):
    """What the demo is to show does not hold; says what came instead."""
