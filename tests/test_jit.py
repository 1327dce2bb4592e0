from offbelief.jit import cache_folder, kernel


def test_cache_folder_changes_with_any_kernel_file_and_with_nothing_else(tmp_path):
    (tmp_path / "caller.py").write_text("from offbelief.jit import kernel  # calls callee")
    callee, plain = tmp_path / "callee.py", tmp_path / "plain.py"
    callee.write_text("from offbelief.jit import kernel")
    plain.write_text("x = 1")
    before = cache_folder(tmp_path)
    plain.write_text("x = 2")
    assert before == cache_folder(tmp_path)
    callee.write_text("from offbelief.jit import kernel  # edited")
    assert before != cache_folder(tmp_path)


def test_cache_folder_follows_the_users_choice(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    assert tmp_path / "chosen" == cache_folder(tmp_path).parent


def test_cache_folder_of_a_read_only_package_is_the_users(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert tmp_path / "cache" / "offbelief" == cache_folder(tmp_path).parent


def test_kernel_computes_what_the_function_does():
    assert 5 == kernel(_add)(2, 3)


def _add(one, other):
    return one + other
