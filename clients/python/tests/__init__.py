"""The tests of the client."""

import faulthandler

# If a test waits for something that never happens, show in which line.
faulthandler.dump_traceback_later(300, exit=True)
