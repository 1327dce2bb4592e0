"""The ladder: rungs in their order, restartable anywhere, each built on the one below."""

from dataclasses import replace

import pytest
import torch

from offbelief.agents.loading import NetworkAgent, load_agent, zoo_names
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.beliefs.recurrent_hand_model import RecurrentHandSettings
from offbelief.errors import UserError
from offbelief.evaluation.match import play_all_orders
from offbelief.evaluation.run_report import find_origin
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.config import RunConfig
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.ladder_presets import LADDER_PRESETS, with_minutes, with_precision
from offbelief.learning.levels import (
    LadderConfig,
    climb,
    create_ladder,
    higher_level,
    ladder_command,
    level_of,
    read_ladder,
    rungs,
    stand_on,
    standing_of,
)
from offbelief.learning.presets import find_preset
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.run import create_run, find_config, train
from offbelief.learning.sequence_training import SequenceTraining
from offbelief.learning.train_policy import PolicyTraining

SMALL = {"steps": 6, "games": 16, "batch_size": 16, "warmup": 32, "evaluations": 1, "evaluation_games": 10}
FIRST = RunConfig(game="very-small", replay=ReplaySettings(capacity=128), **SMALL)
BELIEF = BeliefConfig(
    game="very-small",
    capacity=128,
    model=HandModelSettings(card_width=16, trunk_width=24, head_width=16, older_width=8),
    **SMALL,
)
LADDER = LadderConfig(preset="stairs", levels=3, first=FIRST, belief=BELIEF, policy=higher_level(FIRST))


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def train_quietly(folder):
    return train(folder, report=lambda progress: None)


def stop_and_go_on(training, config, folder):
    """A run, and the same one stopped half-way and resumed: to the bit what they deliver."""
    whole, half, resumed = (training(replace(config, updates_per_step=1)) for _ in range(3))
    for run, steps in ((whole, 24), (half, 12)):
        while run.step < steps:
            run.advance()
    half.save(folder / "half.safetensors")
    resumed.load(folder / "half.safetensors")
    assert (half.rollout.finished, True) == (resumed.rollout.finished, half.rollout.finished > 0)
    while resumed.step < 24:
        resumed.advance()
    for one, other in zip(whole.delivered().values(), resumed.delivered().values(), strict=True):
        assert torch.equal(one, other)
    return whole, resumed


def test_rungs_name_their_parents(tmp_path):
    found = {rung.name: rung.config for rung in rungs(LADDER, tmp_path)}
    assert ["level-1", "belief-1", "level-2", "belief-2", "level-3"] == list(found)
    assert str(tmp_path / "level-2") == found["belief-2"].of == found["level-3"].start_from
    assert str(tmp_path / "belief-2") == found["level-3"].belief
    assert ("", str(tmp_path / "belief-1")) == (found["belief-1"].start_from, found["belief-2"].start_from)
    assert found["level-3"].view.memory
    assert found["level-3"].exploration[-1] < found["level-2"].exploration[-1]
    assert found["level-3"].learner.learning_rate < found["level-2"].learner.learning_rate


def test_a_ladder_may_stand_on_an_agent_and_begin_every_level_afresh(tmp_path):
    found = {rung.name: rung.config for rung in rungs(replace(LADDER, on="obl-1-a", from_scratch=True), tmp_path)}
    assert ["belief-1", "level-2", "belief-2", "level-3"] == list(found)
    assert "obl-1-a" == found["belief-1"].of
    assert {""} == {config.start_from for config in found.values()}


def test_a_ladder_may_stand_on_any_level_of_another_climb(tmp_path):
    create_ladder(tmp_path / "low", replace(LADDER, levels=2))
    assert climb(tmp_path / "low", train_quietly)
    top = str(tmp_path / "low" / "level-2")
    assert [(top, str(tmp_path / "low" / "belief-1")), (str(tmp_path / "low" / "level-1"), "")] == standing_of(top)
    higher = stand_on(LADDER, top)
    found = {rung.name: rung.config for rung in rungs(higher, tmp_path / "high")}
    whole = {rung.name: rung.config for rung in rungs(LADDER, tmp_path / "low")}
    assert ["belief-2", "level-3"] == list(found)
    assert whole["belief-2"] == found["belief-2"]
    assert whole["level-3"] == replace(found["level-3"], belief=str(tmp_path / "low" / "belief-2"))
    assert f"obl train stairs --levels 3 --seed 0 --on {top}" == ladder_command(higher)
    create_ladder(tmp_path / "high", higher)
    assert climb(tmp_path / "high", train_quietly)
    assert 3 == level_of(str(tmp_path / "high" / "level-3"))
    with pytest.raises(UserError, match="of level 2 already; climb higher with --levels 3"):
        stand_on(replace(LADDER, levels=2), top)
    with pytest.raises(UserError, match="holds a belief; name the agent"):
        standing_of(str(tmp_path / "low" / "belief-1"))


def test_a_folder_comes_before_an_agent_of_the_zoo_with_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "full-2p" == find_config("obl-1-a").game
    create_run(tmp_path / "obl-1-a", FIRST)
    assert FIRST == find_config("obl-1-a")


def test_every_level_of_the_zoo_leads_down_to_its_first_by_configs_that_can_be_read():
    levels = {name: int(name.split("-")[1]) for name in zoo_names() if name.startswith("obl-")}
    assert levels == {name: level_of(name) for name in levels}


def test_climbing_goes_on_where_it_stopped(tmp_path):
    folder = tmp_path / "ladder"
    create_ladder(folder, LADDER)
    trained = []

    def train_two(run):
        trained.append(run.name)
        return len(trained) < 3 and train_quietly(run)

    assert not climb(folder, train_two)
    assert ["level-1", "belief-1", "level-2"] == trained
    trained.clear()

    def train_rest(run):
        trained.append(run.name)
        return train_quietly(run)

    assert climb(folder, train_rest)
    assert ["level-2", "belief-2", "level-3"] == trained
    assert climb(folder, lambda run: pytest.fail("all rungs were finished"))
    top = load_agent(str(folder / "level-3"))
    assert isinstance(top, MemoryAgent)
    assert "obl train stairs --levels 3 --seed 0" == find_origin(str(folder / "level-3")).command
    bottom = load_agent(str(folder / "level-1"))
    result = play_all_orders([top, bottom], top.game.variant, 8, seed=0)
    assert 8 == len(result.scores)


def test_a_rung_can_be_done_again_alone(tmp_path):
    folder = tmp_path / "ladder"
    create_ladder(folder, replace(LADDER, levels=2))
    assert climb(folder, train_quietly)
    (folder / "belief-1" / "belief.safetensors").unlink()
    done = []
    assert climb(folder, lambda run: done.append(run.name) or True)
    assert ["belief-1"] == done


def test_a_level_begins_as_the_one_below(tmp_path):
    folder = tmp_path / "ladder"
    create_ladder(folder, replace(LADDER, levels=2))
    assert climb(folder, train_quietly)
    below = load_agent(str(folder / "level-1"))
    config = next(rung.config for rung in rungs(replace(LADDER, levels=2), folder) if rung.name == "level-2")
    above = PolicyTraining(config)
    states = above.game.deal(20, 5)
    legal = torch.ones((20, above.game.num_moves), dtype=torch.bool)
    values = above.learner.online(torch.from_numpy(above.game.observe(states)), legal)
    expected = below.network(torch.from_numpy(below.game.observe(below.game.deal(20, 5))), legal)
    assert torch.allclose(expected, values, atol=1e-5)


def test_ladder_survives_writing(tmp_path):
    create_ladder(tmp_path / "ladder", LADDER)
    assert LADDER == read_ladder(tmp_path / "ladder")
    with pytest.raises(UserError, match="holds something already"):
        create_ladder(tmp_path / "ladder", LADDER)
    with pytest.raises(UserError, match="holds no ladder"):
        read_ladder(tmp_path)


@pytest.mark.parametrize("name", list(LADDER_PRESETS))
def test_presets_share_minutes_between_belief_and_policy(name, tmp_path):
    ladder = with_minutes(LADDER_PRESETS[name][1](), 40.0)
    minutes = [rung.config.minutes for rung in rungs(ladder, tmp_path)]
    assert [40.0, 16.0, 24.0, 16.0, 24.0, 16.0, 24.0] == minutes
    assert f"obl train {name} --levels 3 --seed 0 --minutes-per-rung 40" == ladder_command(ladder, 3)


def test_a_ladder_with_rounded_products_has_them_on_every_rung_and_says_so(tmp_path):
    ladder = with_precision(LADDER_PRESETS["ladder-2p"][1](), "bfloat16")
    assert {"bfloat16"} == {rung.config.precision for rung in rungs(ladder, tmp_path)}
    assert ladder_command(ladder).endswith(" --precision bfloat16")
    assert "precision" not in ladder_command(LADDER)
    with pytest.raises(UserError, match="float32 only"):
        with_precision(LADDER_PRESETS["paper-ladder-2p"][1](), "bfloat16")


@pytest.mark.parametrize("name", list(LADDER_PRESETS))
def test_every_rung_of_a_preset_says_where_it_comes_from(name, tmp_path):
    ladder = LADDER_PRESETS[name][1]()
    found = {rung.name: rung.config.preset for rung in rungs(ladder, tmp_path)}
    assert (ladder.first.preset, ladder.belief.preset) == (found["level-1"], found["belief-1"])
    assert [name] * 3 == [found[f"level-{level}"] for level in (2, 3, 4)]


def test_levels_of_the_full_game_weigh_errors_and_have_the_papers_own_target():
    ladder = LADDER_PRESETS["ladder-2p"][1]()
    for config in (ladder.first, ladder.policy):
        assert config.learner.certainty > 0.0
        assert {0.0} == {config.fictitious.at(share).continuation for share in (0.0, 1.0)}


def test_a_level_trains_on_a_belief_that_remembers_and_goes_on_exactly(tmp_path):
    belief = replace(BELIEF, batch_size=4, capacity=32, model=RecurrentHandSettings(width=12, card_width=5))
    ladder = replace(LADDER, levels=2, belief=belief)
    create_ladder(tmp_path / "ladder", ladder)
    assert climb(tmp_path / "ladder", train_quietly)
    assert load_agent(str(tmp_path / "ladder" / "level-2")).belief is None  # it cannot be asked without a history
    config = next(rung.config for rung in rungs(ladder, tmp_path / "ladder") if rung.name == "level-2")
    whole, resumed = stop_and_go_on(PolicyTraining, config, tmp_path)
    assert torch.equal(torch.from_numpy(whole.game.belief.memory), torch.from_numpy(resumed.game.belief.memory))


@pytest.mark.parametrize("form", ["one-step", "own-turn"])
@pytest.mark.parametrize(
    "model", [BELIEF.model, RecurrentHandSettings(width=12, card_width=5)], ids=["card-wise", "recurrent"]
)
def test_recurrent_policies_climb_too_and_go_on_exactly(model, form, tmp_path):
    first = replace(
        FIRST,
        batch_size=4,
        replay=ReplaySettings(capacity=64),
        network=RecurrentSettings(width=12),
        fictitious=FictitiousSettings(form=form),
    )
    belief = replace(BELIEF, batch_size=4, capacity=32, model=model)
    ladder = replace(LADDER, first=first, belief=belief, policy=higher_level(first))
    create_ladder(tmp_path / "ladder", ladder)
    assert climb(tmp_path / "ladder", train_quietly)
    config = next(rung.config for rung in rungs(ladder, tmp_path / "ladder") if rung.name == "level-3")
    stop_and_go_on(SequenceTraining, config, tmp_path)


def test_a_policy_without_memory_can_stand_on_a_belief_with_one(tmp_path):
    """What a belief reads and what a policy sees are two things: so memory can be measured by leaving it out."""
    ladder = replace(LADDER, levels=2, policy=FIRST)
    create_ladder(tmp_path / "ladder", ladder)
    assert climb(tmp_path / "ladder", train_quietly)
    assert isinstance(load_agent(str(tmp_path / "ladder" / "level-2")), NetworkAgent)


def test_levels_above_an_agent_have_its_network():
    ladder = LADDER_PRESETS["ladder-2p"][1]()
    standing = stand_on(ladder, "obl-1-a")
    assert ("obl-1-a", CardwiseSettings(residual_width=384)) == (standing.on, standing.policy.network)
    assert standing.policy.network != ladder.policy.network  # obl-1-a is older than leaky activations
    with pytest.raises(UserError, match="follows rules"):
        stand_on(ladder, "bot:iggi")
    with pytest.raises(UserError, match="obl-1-a plays full-2p, and this ladder mini"):
        stand_on(LADDER_PRESETS["ladder-mini"][1](), "obl-1-a")


def test_weights_go_on_in_a_network_of_the_same_widths_only():
    config = replace(find_preset("obl-1-2p"), start_from="obl-1-a", games=4, steps=1)
    with pytest.raises(UserError, match="other settings"):
        PolicyTraining(replace(config, network=CardwiseSettings(trunk_width=64)))
    begun = PolicyTraining(config).learner.online.policy  # leaky, though obl-1-a is not
    assert 0.1 == begun.settings.slope
    weights = load_agent("obl-1-a").network.state_dict()
    assert all(torch.equal(weights[name], tensor) for name, tensor in begun.state_dict().items())


def test_a_level_may_be_deeper_than_the_one_below_but_not_shallower(tmp_path):
    deep = replace(FIRST, network=replace(FIRST.network, residual_width=12), seed=3)
    create_run(tmp_path / "first", FIRST)
    create_run(tmp_path / "deep", deep)
    assert train_quietly(tmp_path / "first")
    assert train_quietly(tmp_path / "deep")
    begun = PolicyTraining(replace(deep, start_from=str(tmp_path / "first"))).learner.online
    weights = load_agent(str(tmp_path / "first")).network.state_dict()
    assert all(torch.equal(tensor, begun.state_dict()[name]) for name, tensor in weights.items())
    for other in (FIRST.network, replace(FIRST.network, residual_width=24)):
        with pytest.raises(UserError, match="other settings"):
            PolicyTraining(replace(deep, network=other, start_from=str(tmp_path / "deep")))
