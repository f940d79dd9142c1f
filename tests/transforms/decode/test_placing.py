from schemas.records import Owner, Source
from transforms.decode.placing import NOBODY, Places


def places(**fields):
    return Places(Source("a", 0, fields=fields))


def test_a_bare_event_belongs_to_the_open_run():
    found = places(thread_id="path")
    assert found.of("CUSTOM", None, None) == ("path", None)
    assert found.of("RUN_STARTED", "t", "r") == ("t", "r")
    assert found.of("CUSTOM", None, None) == ("t", "r")
    assert found.of("RUN_FINISHED", None, None) == ("t", "r")
    assert found.of("CUSTOM", None, None) == ("t", "r")


def test_a_thread_without_run_stays_without():
    found = places()
    found.of("RUN_STARTED", "t", "r")
    assert found.of("CUSTOM", "t", None) == ("t", None)


def test_inside_a_row_it_means_the_open_run():
    found = places()
    found.enter_row("t", None)
    found.of("RUN_STARTED", "t", "r")
    assert found.of("CUSTOM", "t", None) == ("t", "r")
    assert found.of("CUSTOM", "u", None) == ("u", None)
    found.leave_row()
    assert found.of("CUSTOM", "t", None) == ("t", None)


def test_a_run_started_without_ids_is_a_new_run():
    found = places()
    found.of("RUN_STARTED", "t", "r")
    assert found.of("RUN_STARTED", None, None) == ("t", None)


def test_the_path_fills_gaps():
    found = places(thread_id="t", run_id="r", tenant_id="acme", user_id="u")
    assert found.of("CUSTOM", None, None) == ("t", "r")
    assert found.owner(NOBODY) == Owner("acme", "u")
    assert found.owner(("other", None, "a")) == Owner("other", "u", "a")
    assert found.owner(NOBODY) is found.owner(NOBODY)
