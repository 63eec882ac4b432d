"""Used by test_python_rules: prints its arguments and how it was started."""

import json
import os
import sys
from pathlib import Path

import bootstrap.console

if __name__ == "__main__":
    facts = {
        "arguments": sys.argv[1:],
        "data": Path(__file__).with_name("echo_data.txt").read_text().strip(),
        "imported": Path(bootstrap.console.__file__).name,
        "hash_seed": os.environ["PYTHONHASHSEED"],
        "user_site": sys.flags.no_user_site == 0,
    }
    print(json.dumps(facts, sort_keys=True))
