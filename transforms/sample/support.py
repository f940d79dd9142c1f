"""The support domain: orders, refunds, and a cart as state."""

from __future__ import annotations

from random import Random
from typing import Final

from schemas.events import Json
from transforms.sample.domain import Domain, ToolUse, client_tool
from transforms.sample.language import Slots
from transforms.sample.patch import pointer

MAX_ITEMS: Final = 5


def _first_state(rng: Random, slots: Slots) -> Json:
    return {
        "customer": {"name": slots["name"], "email": slots["email"], "tier": rng.choice(("basic", "plus"))},
        "cart": {"items": [], "total": 0},
        "ticket": {"status": "open", "priority": rng.randint(1, 3)},
        "orders": {},
    }


def _use_tool(rng: Random, slots: Slots, state: Json) -> ToolUse:
    return rng.choice((_lookup_order, _lookup_order, _add_to_cart, _update_ticket))(rng, slots, state)


def _lookup_order(rng: Random, slots: Slots, state: Json) -> ToolUse:
    order = slots["order"]
    facts = {"status": rng.choice(("packed", "shipped", "delivered", "delayed")), "eta": slots["date"]}
    result = facts | {
        "order": order,
        "customer": {"name": slots["name"], "phone": slots["phone"], "address": slots["street"]},
        "lines": [{"sku": f"SKU-{rng.randint(100, 999)}", "title": slots["product"], "price": float(slots["amount"])}],
        "carrier": slots["carrier"],
    }
    patch: list[Json] = [{"op": "add", "path": pointer("orders", order), "value": facts}]
    if len(state["orders"]) >= MAX_ITEMS:
        patch.insert(0, {"op": "remove", "path": pointer("orders", next(iter(state["orders"])))})
    return ToolUse("lookup_order", {"order_id": order, "email": slots["email"]}, result, tuple(patch))


def _add_to_cart(rng: Random, slots: Slots, state: Json) -> ToolUse:
    cart = state["cart"]
    item = {"title": slots["product"], "quantity": rng.randint(1, 3), "price": float(slots["amount"])}
    patch: list[Json] = [{"op": "add", "path": "/cart/items/-", "value": item}]
    if len(cart["items"]) >= MAX_ITEMS:
        patch.insert(0, {"op": "remove", "path": "/cart/items/0"})
    patch.append({"op": "replace", "path": "/cart/total", "value": round(cart["total"] + float(slots["amount"]), 2)})
    arguments = {"title": item["title"], "quantity": item["quantity"], "note": f"for {slots['name']}"}
    return ToolUse("add_to_cart", arguments, {"ok": True, "items": len(cart["items"]) + 1}, tuple(patch))


def _update_ticket(rng: Random, slots: Slots, _state: Json) -> ToolUse:
    status = rng.choice(("waiting", "escalated", "solved", "open"))
    patch = ({"op": "replace", "path": "/ticket/status", "value": status},)
    arguments = {"status": status, "summary": f"{slots['product']}: {slots['flaw']}", "contact": slots["phone"]}
    return ToolUse("update_ticket", arguments, {"ticket": f"T-{rng.randint(1_000, 9_999)}", "status": status}, patch)


def _use_client_tool(rng: Random, slots: Slots, _state: Json) -> ToolUse:
    arguments = {"title": slots["product"], "order_id": slots["order"]}
    return ToolUse("take_photo", arguments, {"url": f"https://img.example.com/{rng.getrandbits(32):08x}.jpg"})


def _use_approved_tool(_rng: Random, slots: Slots, _state: Json) -> ToolUse:
    arguments = {"order_id": slots["order"], "amount": float(slots["amount"]), "reason": slots["flaw"]}
    patch = ({"op": "replace", "path": "/ticket/status", "value": "refunded"},)
    question = f"Refund {arguments['amount']} for {arguments['order_id']}?"
    return ToolUse("refund", arguments, {"refunded": arguments["amount"], "card": "ends in 0000"}, patch, question)


def _activity(rng: Random, slots: Slots) -> tuple[str, Json, list[list[Json]]]:
    content = {"title": slots["carrier"], "progress": 0, "stops": [slots["city"]]}
    patches: list[list[Json]] = [
        [
            {"op": "replace", "path": "/progress", "value": share},
            {"op": "add", "path": "/stops/-", "value": slots["city"]},
        ]
        for share in (rng.randint(20, 60), 100)
    ]
    return "PARCEL_TRACE", content, patches


SUPPORT: Final = Domain(
    name="support",
    agent_id="support-agent",
    provider="openai",
    model="gpt-5-mini",
    system="You are the support agent of a web shop. Be brief and kind, look orders up before you answer, "
    "and ask before you refund. Never reveal another customer's data.",
    client_tools=(
        client_tool("take_photo", "Ask the user for a photo of an article.", title="string", order_id="string"),
        client_tool("open_page", "Open a page of the shop.", path="string"),
    ),
    first_state=_first_state,
    use_tool=_use_tool,
    use_client_tool=_use_client_tool,
    use_approved_tool=_use_approved_tool,
    activity=_activity,
)
