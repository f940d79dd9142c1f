"""The travel domain: flights, hotels, and an itinerary as state."""

from __future__ import annotations

from random import Random
from typing import Final

from schemas.events import Json
from transforms.sample.domain import Domain, ToolUse, client_tool
from transforms.sample.language import Slots

MAX_LEGS: Final = 6


def _first_state(rng: Random, slots: Slots) -> Json:
    return {
        "traveller": {"name": slots["name"], "phone": slots["phone"], "seat": slots["preference"]},
        "itinerary": {"legs": [], "hotel": None, "travellers": rng.randint(1, 4)},
        "budget": rng.randint(4, 40) * 100,
    }


def _use_tool(rng: Random, slots: Slots, state: Json) -> ToolUse:
    return rng.choice((_search_flights, _search_flights, _find_hotel, _get_weather))(rng, slots, state)


def _flight(slots: Slots, origin: str, target: str) -> dict[str, Json]:
    return {
        "flight": slots["flight"],
        "airline": slots["airline"],
        "from": origin,
        "to": target,
        "departs": f"{slots['date']}T{slots['time']}",
        "price": float(slots["amount"]),
    }


def _search_flights(rng: Random, slots: Slots, state: Json) -> ToolUse:
    arguments = {
        "origin": slots["home"],
        "destination": slots["city"],
        "depart": slots["date"],
        "passengers": state["itinerary"]["travellers"],
        "cabin": rng.choice(("economy", "premium")),
    }
    flights = [_flight(slots, arguments["origin"], arguments["destination"]) for _ in range(rng.randint(2, 4))]
    patch: list[Json] = [{"op": "add", "path": "/itinerary/legs/-", "value": flights[0]}]
    if len(state["itinerary"]["legs"]) >= MAX_LEGS:
        patch.insert(0, {"op": "remove", "path": "/itinerary/legs/0"})
    return ToolUse("search_flights", arguments, {"flights": flights}, tuple(patch))


def _find_hotel(rng: Random, slots: Slots, _state: Json) -> ToolUse:
    arguments = {"city": slots["city"], "nights": rng.randint(1, 9), "max_price": float(slots["amount"])}
    hotel = {"name": slots["hotel"], "city": arguments["city"], "price": float(slots["amount"])}
    patch = ({"op": "replace", "path": "/itinerary/hotel", "value": hotel},)
    return ToolUse("find_hotel", arguments, {"hotels": [hotel, hotel | {"name": slots["hotel"]}]}, patch)


def _get_weather(rng: Random, slots: Slots, _state: Json) -> ToolUse:
    arguments = {"city": slots["city"], "date": slots["date"]}
    result = arguments | {"sky": rng.choice(("sun", "rain", "snow", "fog")), "celsius": rng.randint(-8, 35)}
    return ToolUse("get_weather", arguments, result)


def _use_client_tool(rng: Random, slots: Slots, _state: Json) -> ToolUse:
    place = {"lat": round(rng.uniform(-60, 60), 4), "lon": round(rng.uniform(-180, 180), 4)}
    return ToolUse("show_map", {"place": slots["city"], "zoom": rng.randint(4, 14)}, {"picked": slots["sight"]} | place)


def _use_approved_tool(_rng: Random, slots: Slots, state: Json) -> ToolUse:
    arguments = {"flight": slots["flight"], "passenger": slots["name"], "email": slots["email"], "seat": slots["seat"]}
    price = float(slots["amount"])
    patch = ({"op": "replace", "path": "/budget", "value": round(state["budget"] - price, 2)},)
    question = f"Book {arguments['flight']} for {price}?"
    return ToolUse("book_flight", arguments, {"booking": slots["booking"], "price": price}, patch, question)


def _activity(rng: Random, slots: Slots) -> tuple[str, Json, list[list[Json]]]:
    content = {"title": slots["city"], "found": 0, "offers": []}
    patches: list[list[Json]] = [
        [
            {"op": "replace", "path": "/found", "value": count * rng.randint(2, 9)},
            {"op": "add", "path": "/offers/-", "value": {"airline": slots["airline"], "price": slots["amount"]}},
        ]
        for count in range(1, rng.randint(2, 4))
    ]
    return "SEARCH_PROGRESS", content, patches


TRAVEL: Final = Domain(
    name="travel",
    agent_id="travel-agent",
    provider="anthropic",
    model="claude-sonnet-4-5",
    system="",
    client_tools=(
        client_tool("show_map", "Show a map and let the user pick a place.", place="string", zoom="integer"),
    ),
    first_state=_first_state,
    use_tool=_use_tool,
    use_client_tool=_use_client_tool,
    use_approved_tool=_use_approved_tool,
    activity=_activity,
)
