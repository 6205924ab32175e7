"""A client of the application over the small corpus."""

import pytest
from support.served_app import app_over, client_of


@pytest.fixture
def client(tmp_path):
    with client_of(app_over(tmp_path)) as made:
        yield made
