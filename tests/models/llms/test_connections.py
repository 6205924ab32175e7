"""How endpoints are reached: proxies, certificates, headers, addresses by name, and what is said when nobody is there."""

import asyncio
import json
import shutil
import ssl
import subprocess
import warnings

import pytest
from support.scripted_server import Behaviour, ScriptedServer

from hopweave.core.catalog import entries
from hopweave.core.errors import HopweaveError, ModelError, SettingsError
from hopweave.core.types import Message, Sampling
from hopweave.models.llms import _http
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.run.settings import read_settings

ASK = (Message("user", "Where?"),)
GREEDY = Sampling()
ELSEWHERE = "http://models.example/v1"


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """No proxy, key or settings but those of the test."""
    proxies = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
    others = ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "SSL_CERT_FILE", "SSL_CERT_DIR")
    for name in (*proxies, *map(str.upper, proxies), *others):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MY_KEY", "sk-secret-123")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


async def asked(llm):
    try:
        return await llm.reply(ASK, GREEDY)
    except HopweaveError as error:
        return error
    finally:
        await llm.close()


def at(base_url, **options):
    return OpenAICompatible(**{"model": "m", "base_url": base_url, "api_key_env": "MY_KEY"} | options)


# -- proxies ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
async def test_a_proxy_of_the_environment_is_used(variable, monkeypatch):
    async with ScriptedServer([Behaviour("Ulm")]) as proxy:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        assert (await asked(at(ELSEWHERE))).text == "Ulm"
    assert proxy.requests[0].path == "http://models.example/v1/chat/completions"
    assert proxy.requests[0].headers["authorization"] == "Bearer sk-secret-123"


async def test_a_proxy_gets_its_own_password_and_no_message_has_it(monkeypatch):
    async with ScriptedServer(lambda request: Behaviour(str(request.headers) + " pass-word-1", status=500)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:pass-word-1@127.0.0.1:{proxy.port}")
        error = await asked(at(ELSEWHERE))
    assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")
    assert "pass-word-1" not in str(error)
    assert isinstance(error, ModelError)


@pytest.mark.parametrize("without", ["*", "models.example", ".example", "other.example,models.example:80"])
async def test_hosts_that_want_no_proxy_get_none(without, monkeypatch):
    async with ScriptedServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", without)
        error = await asked(at("http://models.example:80/v1", connect_timeout_seconds=2))
        assert "cannot reach http://models.example:80/v1" in str(error)
        assert proxy.num_connections == 0


async def test_no_proxy_is_asked_for_this_machine(monkeypatch):
    async with ScriptedServer() as proxy, ScriptedServer([Behaviour("Ulm")]) as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert (await asked(at(server.base_url))).text == "Ulm"
        assert proxy.num_connections == 0


async def test_a_proxy_of_another_kind_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://me:pass-word-1@127.0.0.1:1080")
    error = await asked(at(ELSEWHERE))
    assert isinstance(error, SettingsError)
    assert "the proxy socks5://127.0.0.1:1080 cannot be used" in str(error)
    assert "NO_PROXY=models.example" in str(error)


async def test_a_proxy_that_is_not_there_is_told_apart_from_the_server(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert "the proxy 127.0.0.1:9 cannot be reached: Connection refused" in str(await asked(at(ELSEWHERE)))


# -- headers ---------------------------------------------------------------------------------------------------------------


async def sent_to(host_url, monkeypatch, **options):
    """What a server elsewhere would get, caught by a proxy."""
    async with ScriptedServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        await asked(at(host_url, **options))
    return proxy.requests[0]


AZURE = "http://mine.openai.azure.com/openai/deployments/small?api-version=2024-10-21"


OF_OPENAI = {"openai-organization": "org-1", "openai-project": "proj-1"}
HEADERS = {
    # the address, the key, the headers that go along with a request, and those that do not
    "the key of azure": (AZURE, "sk-secret-123", {"api-key": "sk-secret-123"}, ["authorization"]),
    "a token of azure": (AZURE, "eyJ0.eyJh.c2ln", {"authorization": "Bearer eyJ0.eyJh.c2ln"}, ["api-key"]),
    "who pays openai": ("http://api.openai.com/v1", "sk-1", OF_OPENAI, []),
    "who pays, told to nobody else": (ELSEWHERE, "sk-1", {"authorization": "Bearer sk-1"}, list(OF_OPENAI)),
    "a key with blanks around it": (ELSEWHERE, " sk-1\n", {"authorization": "Bearer sk-1"}, []),
}


@pytest.mark.parametrize(("address", "key", "sent", "not_sent"), HEADERS.values(), ids=HEADERS)
async def test_an_endpoint_gets_the_headers_that_it_reads(address, key, sent, not_sent, monkeypatch):
    for name, value in {"MY_KEY": key, "OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1"}.items():
        monkeypatch.setenv(name, value)
    headers = (await sent_to(address, monkeypatch)).headers
    assert {name: headers[name] for name in sent} == sent
    assert [name for name in not_sent if name in headers] == []


async def test_azure_gets_its_version(monkeypatch):
    request = await sent_to(AZURE, monkeypatch)
    assert request.path == "http://mine.openai.azure.com/openai/deployments/small/chat/completions?api-version=2024-10-21"


@pytest.mark.parametrize("key", ["sk\n-1", "sk-\u201c1\u201d"])
async def test_a_key_with_signs_that_no_key_has_is_told_of(key, monkeypatch):
    monkeypatch.setenv("MY_KEY", key)
    error = await asked(at(ELSEWHERE))
    assert isinstance(error, SettingsError)
    assert str(error) == "the key in the environment variable MY_KEY contains characters that no key has; copy it again"


# -- certificates ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path):
    """A folder with a certificate and its key, which nobody else trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*command.split(), "-keyout", "key.pem", "-out", "own.pem"], check=True, capture_output=True, cwd=tmp_path)
    return tmp_path


@pytest.fixture
async def secure(certificate):
    """A secure server with a certificate of its own, and where that is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "own.pem", certificate / "key.pem")
    async with ScriptedServer([Behaviour("Ulm")], tls=context) as server:
        _http._trusted.cache_clear()
        yield server, certificate / "own.pem"
        _http._trusted.cache_clear()


async def test_a_certificate_of_the_environment_is_trusted(secure, monkeypatch):
    server, certificate = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (await asked(at(f"https://localhost:{server.port}/v1"))).text == "Ulm"


async def test_any_other_certificate_is_refused_with_what_to_do(secure):
    server, _ = secure
    error = await asked(at(f"https://localhost:{server.port}/v1"))
    assert "certificate verify failed" in str(error)
    assert "SSL_CERT_FILE may name certificates to trust" in str(error)
    assert server.num_requests == 0


async def test_a_server_without_tls_that_is_asked_for_it_is_said_to_have_none():
    async def refuse(_, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        error = await asked(at(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"))
    assert "no secure connection: " in str(error)
    assert "if it serves plain HTTP, its address begins with http://" in str(error)


# -- what is said ----------------------------------------------------------------------------------------------------------


def listing(*models):
    """A server that has these models."""

    def decide(request):
        if request.path == "/v1/models":
            return Behaviour(raw=json.dumps({"data": [{"id": model} for model in models]}))
        return Behaviour("the model does not exist", status=404)

    return decide


MISSING = {
    "one with a near name": (
        ["small-chat", "large-chat"], {"model": "smal-chat"}, "has no model 'smal-chat'; did you mean 'small-chat'?"
    ),
    "one that ollama can pull": (
        ["a", "b"], {"model": "qwen3", "server": "ollama"}, "get it with: ollama pull qwen3, or choose one of: a, b"
    ),
    "one of many": (
        [f"model-{n:02}" for n in range(50)],
        {"model": "zzz"}, "choose one of: model-00, model-01, model-02, model-03, model-04, ...",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("models", "options", "said"), MISSING.values(), ids=MISSING)
async def test_a_model_that_is_not_there_is_named_with_those_that_are(models, options, said):
    async with ScriptedServer(listing(*models), takes_gets=True) as server:
        assert str(await asked(at(server.base_url, **options))).endswith(said)


async def test_a_model_that_the_endpoint_lists_is_not_called_missing():
    async with ScriptedServer(listing("m", "other"), takes_gets=True) as server:
        assert str(await asked(at(server.base_url, model="m"))).endswith("(404) said: the model does not exist")


FORGOTTEN = {
    "404": Behaviour("404 page not found", status=404),
    "405": Behaviour("Method Not Allowed", status=405),
    "an error in a good status": Behaviour(raw='{"error": "Unexpected endpoint or method. (POST /chat/completions)"}'),
    "a page": Behaviour(raw="<html>Welcome</html>"),
}


@pytest.mark.parametrize("behaviour", FORGOTTEN.values(), ids=FORGOTTEN)
async def test_a_forgotten_v1_is_guessed(behaviour):
    async with ScriptedServer([behaviour]) as server:
        address = server.base_url.removesuffix("/v1")
        error = await asked(at(address + "/"))
    assert str(error).endswith(f"is /v1 missing? base_url goes up to and including it: {address}/v1")


async def test_an_address_that_goes_on_to_the_path_of_a_request_is_shortened():
    async with ScriptedServer([Behaviour("404 page not found", status=404)]) as server:
        address = server.base_url
        error = await asked(at(f"{address}/chat/completions"))
    assert str(error).endswith(f"; base_url ends before /chat/completions: {address}")


async def test_a_server_that_is_silent_is_told_of_with_how_to_wait_longer():
    async with ScriptedServer([Behaviour(delay=30)]) as server:
        error = await asked(at(server.base_url, timeout_seconds=0.2))
    wait = "if the model needs longer, raise llms.openai_compatible.timeout_seconds"
    assert f"was silent for 0.2 s; {wait}; if not, " in str(error)


async def test_a_server_that_does_not_run_is_told_of_with_how_to_start_it():
    error = await asked(at("http://127.0.0.1:9/v1", server="ollama"))
    assert str(error) == (
        "cannot reach http://127.0.0.1:9/v1 (Connection refused); start the server there (such as with: ollama serve), or "
        "point elsewhere with --set llms.openai_compatible.base_url=ADDRESS"
    )


# -- names of well-known servers -------------------------------------------------------------------------------------------

PRESETS = {name: one.preset for name, one in entries("llms").items() if one.preset}


def test_well_known_servers_have_names():
    assert {name: preset["base_url"] for name, preset in PRESETS.items()} == {
        "anthropic": "https://api.anthropic.com/v1",
        "azure": "https://YOUR-RESOURCE.openai.azure.com/openai/v1",
        "deepseek": "https://api.deepseek.com/v1",
        "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
        "groq": "https://api.groq.com/openai/v1",
        "litellm": "http://127.0.0.1:4000/v1",
        "llama_server": "http://127.0.0.1:8080/v1",
        "lmstudio": "http://127.0.0.1:1234/v1",
        "mistral": "https://api.mistral.ai/v1",
        "ollama": "http://127.0.0.1:11434/v1",
        "openai": "https://api.openai.com/v1",
        "openrouter": "https://openrouter.ai/api/v1",
        "sglang": "http://127.0.0.1:30000/v1",
        "together": "https://api.together.xyz/v1",
        "vllm": "http://127.0.0.1:8000/v1",
    }


@pytest.mark.parametrize("name", PRESETS)
def test_a_name_is_the_same_endpoint_as_its_address(name):
    by_name = read_settings({"llm": name, "llms": {name: {"model": "m"}}}).part("llms", name)
    by_address = OpenAICompatible(model="m", base_url=PRESETS[name]["base_url"])
    assert type(by_name) is OpenAICompatible
    assert by_name.identity == by_address.identity
    assert by_name.settings_name == f"llms.{name}"
    assert by_name.abilities == by_address.abilities


async def test_the_address_of_azure_has_to_be_ones_own():
    error = await asked(read_settings({"llms": {"azure": {"model": "m"}}}).part("llms", "azure"))
    assert isinstance(error, SettingsError)
    assert str(error).endswith("only shows what an address looks like; give your own: --set llms.azure.base_url=ADDRESS")


def test_options_of_a_name_count_over_what_it_stands_for():
    options = {"model": "m", "base_url": "http://gpu:11434/v1", "samples": "yes"}
    part = read_settings({"llms": {"ollama": options}}).part("llms", "ollama")
    expected = {**options, "server": "ollama", "api_key_env": "OLLAMA_API_KEY"}
    assert {name: getattr(part, name) for name in expected} == expected


@pytest.mark.parametrize("name", ["ollama", "openai_compatible"])
def test_a_missing_model_is_told_of_with_what_to_set(name):
    with pytest.raises(SettingsError) as caught:
        read_settings({"llm": name}).part("llms", name)
    said = f"llms.{name} needs model (name of the model at the endpoint); give it with --set llms.{name}.model=VALUE"
    assert str(caught.value) == said


async def test_a_missing_key_is_told_of_under_the_name_that_was_used():
    part = read_settings({"llms": {"openai": {"model": "m"}}}).part("llms", "openai")
    error = await asked(part)
    assert "https://api.openai.com/v1 needs a key: put it in the environment variable OPENAI_API_KEY" in str(error)
    assert "--set llms.openai.api_key_env=NAME" in str(error)


async def test_a_server_on_this_machine_does_not_get_the_key_of_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    async with ScriptedServer() as server:
        await asked(read_settings({"llms": {"vllm": {"model": "m", "base_url": server.base_url}}}).part("llms", "vllm"))
    assert "sk-of-openai" not in str(server.requests[0].headers)


# -- closing ---------------------------------------------------------------------------------------------------------------


def test_a_loop_that_ends_leaves_no_connection_open():
    """Also where nobody closes the model: pytest turns a warning of an open session or socket into an error."""

    async def once():
        async with ScriptedServer() as server:
            llm = OpenAICompatible(model="m", base_url=server.base_url)
            await asyncio.gather(*(llm.reply(ASK, GREEDY) for _ in range(3)))

    for _ in range(3):
        asyncio.run(once())
