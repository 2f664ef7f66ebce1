"""``python -m autograd_cli`` is ``agrad``."""

from autograd_cli.cli.main import run

if __name__ == "__main__":
    run()
