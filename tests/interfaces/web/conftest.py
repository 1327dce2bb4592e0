"""A server that the tests of this folder share."""

import pytest
from tests.interfaces.web.serving import serving


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("games")) as running:
        yield running


@pytest.fixture
def page(server):
    with server.page() as opened:
        yield opened
