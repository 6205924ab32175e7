"""The examples of deployments: what they run is accepted by the commands, and what they name is there."""

import os
import re
import shlex
import tomllib
from urllib.parse import urlsplit

import pytest
from support.pages import ROOT
from typer.main import get_command

from hopweave.apps.cli import app
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.core.postgres_connection import is_address
from hopweave.run.settings import read_settings

yaml = pytest.importorskip("yaml", reason="needs: pip install pyyaml")

FOLDER = ROOT / "examples" / "deploy"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
OBJECTS = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8")))
SERVICES = COMPOSE["services"]


def of_kind(*kinds):
    return {one["metadata"]["name"]: one for one in OBJECTS if one["kind"] in kinds}


def pods():
    return {name: one["spec"]["template"]["spec"] for name, one in of_kind("Deployment", "StatefulSet", "Job").items()}


def containers():
    return {name: pod["containers"][0] for name, pod in pods().items()}


def commands():
    """The command lines of the project's image, each with where it stands."""
    for name, service in SERVICES.items():
        if service["image"] == "hopweave":
            yield f"compose {name}", [*service.get("entrypoint", ["hopweave"]), *service["command"]]
    for name, container in containers().items():
        if container["image"] == "hopweave":
            words = [*container.get("command", ["hopweave"]), *container.get("args", [])]
            if words[:2] == ["sh", "-c"]:
                words = shlex.split(words[2].rpartition("exec ")[2].replace("$N", "1"))
            yield f"kubernetes {name}", words


COMMANDS = dict(commands())


@pytest.mark.parametrize("where", COMMANDS)
def test_every_command_is_one_that_is_accepted(where):
    program, name, *arguments = COMMANDS[where]
    if program == "hopweave":
        group = get_command(app)
        _, command, rest = group.resolve_command(group.make_context("hopweave", [], resilient_parsing=True), [name, *arguments])
        context = command.make_context(name, list(rest))
        assert not context.args
    else:
        assert program == "dask"
        pytest.importorskip("distributed", reason="needs: pip install 'hopweave[cluster]'")
        from distributed.cli import dask_scheduler, dask_worker

        command = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}[name]
        context = command.make_context(name, list(arguments))
        assert not context.params.get("preload_argv")


def test_there_are_servers_workers_and_jobs_in_both():
    named = {words[1] for words in COMMANDS.values()}
    assert named == {"serve", "scheduler", "worker", "index", "evaluate"}


def environments():
    yield "compose", COMPOSE["x-hopweave"]["environment"], set(SERVICES)
    yield "kubernetes", of_kind("ConfigMap")["hopweave"]["data"], set(of_kind("Service"))


@pytest.mark.parametrize(("where", "environment", "hosts"), list(environments()), ids=["compose", "kubernetes"])
def test_the_settings_are_settings_and_name_services_that_are_there(where, environment, hosts, tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("HOPWEAVE_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name, value in environment.items():
        assert isinstance(value, str), f"{name} is no text in {where}"
        monkeypatch.setenv(name, value)
    settings = read_settings()
    assert is_address(settings.store.path)
    assert settings.part("llms", settings.llm).identity
    assert settings.retrievers["elasticsearch"]["tls"] == "no"
    settings.part("retrievers", "elasticsearch", address=settings.corpus)
    named = {urlsplit(url).hostname for url in (settings.store.path, settings.corpus, settings.llms["vllm"]["base_url"])}
    named |= {
        urlsplit(url).hostname
        for place, words in COMMANDS.items()
        if place.startswith(where)
        for url in re.findall(r"\w+://\S+", " ".join(words))
    }
    assert named <= hosts


def test_what_compose_names_is_there():
    for name, service in SERVICES.items():
        assert set(service.get("depends_on", ())) <= set(SERVICES), name
        for volume in service.get("volumes", ()):
            assert volume.startswith(".") or volume.partition(":")[0] in COMPOSE["volumes"], name
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), f"{name} is open to others"
    for wanted, conditions in ((name, one["depends_on"]) for name, one in SERVICES.items() if "depends_on" in one):
        healthy = [other for other, how in dict.fromkeys(conditions).items()] if isinstance(conditions, list) else [
            other for other, how in conditions.items() if how["condition"] == "service_healthy"
        ]  # fmt: skip
        assert isinstance(conditions, list) or all("healthcheck" in SERVICES[other] for other in healthy), wanted


def test_the_server_that_compose_opens_without_keys_answers_to_the_names_of_this_machine_alone():
    service = SERVICES["server"]
    files = {one["target"]: COMPOSE["configs"][one["source"]]["content"] for one in service["configs"]}
    [file] = [word.removeprefix("--server=") for word in service["command"] if word.startswith("--server=")]
    settings = ServerSettings(**tomllib.loads(files[file]), host="0.0.0.0")
    assert "--open" in service["command"]
    assert settings.allowed_hosts == ("localhost", "127.0.0.1")
    probed = re.search(r"http://([\w.]+):", service["healthcheck"]["test"][-1])[1]
    assert probed in settings.allowed_hosts


def test_what_kubernetes_names_is_there():
    for name, service in of_kind("Service").items():
        assert service["spec"]["selector"] == {"app": name}
        ports = {port["containerPort"] for port in containers()[name]["ports"]}
        assert {port.get("targetPort", port["port"]) for port in service["spec"]["ports"]} <= ports
    for name, one in of_kind("Deployment", "StatefulSet").items():
        assert one["spec"]["selector"]["matchLabels"] == one["spec"]["template"]["metadata"]["labels"] == {"app": name}
    for name, container in containers().items():
        volumes = {volume["name"]: volume for volume in pods()[name].get("volumes", ())}
        claims = {
            claim["metadata"]["name"]
            for claim in of_kind("StatefulSet").get(name, {"spec": {}})["spec"].get("volumeClaimTemplates", ())
        }
        assert {mount["name"] for mount in container.get("volumeMounts", ())} == {*volumes, *claims}, name
        for source in container.get("envFrom", ()):
            assert source["configMapRef"]["name"] in of_kind("ConfigMap")
        for variable in container.get("env", ()):
            assert "value" in variable or variable["valueFrom"]["secretKeyRef"] == {
                "name": "hopweave",
                "key": "postgres-password",
            }
        for volume in volumes.values():
            if "persistentVolumeClaim" in volume:
                assert volume["persistentVolumeClaim"]["claimName"] in of_kind("PersistentVolumeClaim")


@pytest.mark.parametrize("name", ["compose.yaml", "kubernetes.yaml", "Dockerfile"])
def test_no_file_holds_a_password_or_a_key(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert not re.search(r"://[^/\s@]+:[^/\s@]+@", text)
    assert not re.search(r"(?i)(password|token)\w*\s*[:=]\s*[\"']?[0-9a-zA-Z]{6,}", re.sub(r"(?m)^\s*#.*$", "", text))


def test_the_image_has_the_extras_of_what_it_runs():
    extras = re.search(r"\.\[([\w,]+)\]", (FOLDER / "Dockerfile").read_text(encoding="utf-8"))[1].split(",")
    assert {"server", "postgres", "cluster"} <= set(extras)
    for line in (FOLDER / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY"):
            assert all((ROOT / source).exists() for source in line.split()[1:-1])
