"""Run by `run_function.sh`: `check_output.py GIVEN WRITTEN refuse-empty|allow-empty`.

It is a script, run without the folder it is called in: that one is from Git. So it imports by the
name that our package has everywhere, which is that of its folder.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from plugin_image.renderer.kpt import outputs

_, given, written, empty = sys.argv
sys.exit(outputs.fault(Path(given).read_bytes(), Path(written).read_bytes(), empty) or 0)
