"""The tests of the client."""

import faulthandler

# All tests together take less than a minute.  If they are not done after
# nine, one of them waits for something that never happens: show its line.
faulthandler.dump_traceback_later(540, exit=True)
