"""Each test of an application has folders of the user, and a working directory, that no other test has."""

import pytest


@pytest.fixture(autouse=True)
def _own_folders(own_folders):
    pass
