"""The example and the notebooks do what they say."""

import pathlib
import sys
import warnings

import nbclient
import nbformat
import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parents[1]


def test_the_environment_is_one_of_gymnasium() -> None:
    sys.path.insert(0, str(HERE / "examples"))
    from ack_frequency import AckFrequency
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        # It has neither bounds above nor a picture.
        warnings.simplefilter("ignore")
        check_env(AckFrequency(**{"run.measured": "1300ms"}), skip_render_check=True)
    environment = AckFrequency(**{"run.measured": "1500ms"})
    episodes = []
    for every in (0, 4, 4):
        environment.reset(seed=3)
        rewards, done = [], False
        while not done:
            _, reward, _, done, _ = environment.step(numpy.int64(every))
            rewards.append(reward)
        episodes.append(rewards)
    assert episodes[1] == episodes[2] and episodes[0] != episodes[1]


@pytest.mark.parametrize("name", sorted(path.name for path in (HERE / "notebooks").glob("*.ipynb")))
def test_a_notebook_runs_from_its_beginning_to_its_end(name: str, tmp_path: pathlib.Path) -> None:
    notebook = nbformat.read(HERE / "notebooks" / name, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not any(output.output_type == "error" for output in outputs)
    assert any("data" in output for output in outputs)
