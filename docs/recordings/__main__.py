"""`python -m docs.recordings`: draws the terminal sessions of this folder as SVG.

A session is what a terminal showed, colours included: `NAME.txt` becomes `NAME.svg`. The same
text gives the same picture; times and generated names were made neutral by hand.
"""

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

FOLDER = Path(__file__).parent
_WIDTH = 100


def draw(session: Path) -> str:
    """Return a session as SVG."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(session.read_text()))
    title = session.read_text().partition("\n")[0].removeprefix("$ ")
    # The name stands for the random part that identifies styles, so that nothing is random.
    return console.export_svg(title=title, unique_id=f"recording-{session.stem}")


def main() -> int:
    """Draw every session anew."""
    for session in sorted(FOLDER.glob("*.txt")):
        session.with_suffix(".svg").write_text(draw(session))
    return 0


if __name__ == "__main__":
    sys.exit(main())
