"""A client of the application over the small corpus."""

import pytest
from support.served_app import app_over, client_of


@pytest.fixture(scope="module")
def lasting_client(tmp_path_factory):
    """One for several tests, of which none minds what the others asked."""
    with client_of(app_over(tmp_path_factory.mktemp("lasting"))) as made:
        yield made


@pytest.fixture
def client(tmp_path):
    with client_of(app_over(tmp_path)) as made:
        yield made
