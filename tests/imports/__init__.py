"""Which modules of tfcarve each module and each test file needs: the deps of their targets."""
