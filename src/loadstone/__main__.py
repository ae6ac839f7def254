"""`python -m loadstone`."""

import sys

from loadstone.cli.main import main

sys.exit(main())
