"""What the clients in Python have in common: named checks, each with its outcome on a line."""

import sys
import traceback


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, name):
        """Runs the function that it decorates, as a check of this name."""

        def run(check):
            try:
                check()
                self.passed += 1
                print("PASS " + name)
            except Exception as error:
                self.failed += 1
                print("FAIL %s %r" % (name, error))
                traceback.print_exc()

        return run

    def end(self):
        print("%d checks passed, %d failed" % (self.passed, self.failed))
        sys.exit(1 if self.failed or not self.passed else 0)


def same(wanted, found):
    if wanted != found:
        raise AssertionError("expected %r, found %r" % (wanted, found))
