"""A cell that goes step by step."""

import random
import threading

import pytest

import ackless

SHORT = {"run.measured": "200ms", "run.warm_up": "50ms", "flows.stagger": "1ms"}


@pytest.mark.parametrize("name", ["wifi-80211n", "wifi-neighbours", "wifi-80211ac", "tack-80211n"])
def test_steps_of_any_size_do_not_show(name: str) -> None:
    seed = random.randrange(2**32)
    cell = ackless.Cell(name, scheme="tcp", seed=seed, set=SHORT, timeline="3ms")
    while not cell.is_over:
        cell.step(random.choice(["1ns", "13us", 0.0007, "5ms", 0.03]))
        assert len(cell.flows) > 0 and sum(cell.airtime.values()) <= 0.2 + 1e-9
        if random.random() < 0.2:
            cell.so_far()
    whole = ackless.run(name, scheme="tcp", seed=seed, set=SHORT, timeline="3ms")
    stepped = cell.finish()
    assert stepped.to_json() == whole.to_json(), seed
    assert stepped.timeline.to_dict() == whole.timeline.to_dict(), seed
    assert stepped.series.to_dict() == whole.series.to_dict(), seed


def test_figures_are_as_of_now() -> None:
    cell = ackless.Cell("wifi-80211n", scheme="tcp", set={**SHORT, "run.warm_up": "0s"})
    assert (cell.now, cell.flows[0].cwnd, cell.flows[0].delivered) == (0.0, None, 0)
    assert cell.run_until("100ms") == cell.now == 0.1
    early = cell.flows[0]
    assert early.goodput == pytest.approx(early.delivered * 8 / 0.1 / 1e6)
    cell.step(0.05)
    late = cell.flows[0]
    assert late.goodput == pytest.approx((late.delivered - early.delivered) * 8 / 0.05 / 1e6)
    assert late.cwnd and late.srtt and late.srtt > 0.002, "there are 2 ms of wire"
    assert cell.so_far().sim_seconds == pytest.approx(0.15)
    assert cell.counters["delivered_bytes"] == late.delivered
    assert sum(cell.airtime.values()) == pytest.approx(0.15, rel=0.1)


def test_knobs_turn() -> None:
    def carried(key: str, value: object) -> tuple[float, float]:
        cell = ackless.Cell("wifi-80211n", scheme="tcp", seed=2, set={**SHORT, "stations.count": 2, "run.measured": "2s"})
        cell.run_until("300ms")
        cell.set(key, value)  # type: ignore[arg-type]
        # What waited behind the losses of slow start is through by then.
        cell.step("300ms")
        cell.step("400ms")
        return cell.flows[0].goodput, cell.flows[1].goodput

    plain = carried("stations.sta-1.mcs", 7)
    assert min(plain) > 30
    one, other = carried("stations.sta-1.mcs", 0)
    assert one < 0.6 * plain[0] and other < plain[1], "a slow station slows all"
    assert max(carried("stations.sta.mcs", 0)) < 0.3 * min(plain), "a group by its name"
    # What waits behind a hole arrives at once when it is filled.
    assert sum(carried("wired.rate", "10Mbps")) < 0.5 * sum(plain)
    assert carried("stations.sta-2.outage", "2s")[1] == 0.0
    assert sum(carried("stations.air_loss", 0.5)) < 0.8 * sum(plain)
    assert carried("flows.ack", 2) == plain, "what is so already"


def test_a_seldom_ack_leaves_the_air_to_the_data() -> None:
    def acks(every: int) -> int:
        cell = ackless.Cell("wifi-80211n", scheme="tcp", set={**SHORT, "run.measured": "1s"})
        cell.run_until("500ms")
        cell.set("flows.download-1.ack", every)
        before = cell.counters["tcp_ack_mpdus"]
        cell.step("300ms")
        return cell.counters["tcp_ack_mpdus"] - before

    assert 3.5 < acks(1) / acks(4) < 4.5


def test_what_cannot_be_set_is_refused_and_changes_nothing() -> None:
    cell = ackless.Cell("wifi-80211n", set=SHORT)
    cell.step("60ms")
    for key, value, words in [
        ("wifi.mcs", 3, "cannot be set while a cell runs"),
        ("stations.sta-7.mcs", 3, "the stations are sta-1"),
        ("stations.sta-1.mcs", 99, "0 to 31"),
        ("stations.sta-1.snr", "3dB", "loss.model"),
        ("wired.rate", "fast", "a rate with its unit"),
        ("flows.upload-1.ack", 1, "the flows are download-1"),
    ]:
        with pytest.raises(ValueError, match=words):
            cell.set(key, value)  # type: ignore[arg-type]
    cell.run_until("1s")
    assert cell.finish().to_json() == ackless.run("wifi-80211n", set=SHORT).to_json()
    with pytest.raises(RuntimeError, match="finished"):
        cell.step()
    tack = ackless.Cell("tack-buffer", scheme="tack", set=SHORT)
    with pytest.raises(ValueError, match="has TACK"):
        tack.set("flows.ack", 1)


def test_a_rate_control_keeps_its_rates() -> None:
    cell = ackless.Cell("wifi-80211n", set={**SHORT, "loss.model": "snr", "wifi.rate_control": "minstrel-ht"})
    with pytest.raises(ValueError, match="rate_control=fixed"):
        cell.set("stations.mcs", 3)
    cell.set("stations.snr", "5dB")


def test_one_thread_at_a_time() -> None:
    cell = ackless.Cell("wifi-80211n", set={"run.measured": "3s"})
    thread = threading.Thread(target=lambda: cell.run_until("4s"))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            cell.now  # noqa: B018
        except RuntimeError as error:
            assert "another thread" in str(error)
            refused += 1
    assert refused > 0 and cell.now >= 4.0
