-- Each tool call once, as the run brought it, with its result from the tool message, in whichever run that came.
-- Where a thread repeats a tool call id, a result goes to the last call of that id before it. Where branches answer the
-- same call, the active branch's result is shown, and result_count counts them all.
CREATE VIEW v_tool_calls AS
WITH calls AS (
    SELECT
        c.*,
        {'run': run, 'at': position} AS place,
        row_number() OVER same_id = 1 AS is_first,
        lead({'run': run, 'at': position}) OVER same_id AS next_place
    FROM tool_calls AS c
    WHERE is_new
    WINDOW same_id AS (PARTITION BY tenant_id, thread_id, tool_call_id ORDER BY run, position, call_index)
),
results AS (
    SELECT
        m.tenant_id,
        m.thread_id,
        m.tool_call_id,
        m.run,
        {'run': m.run, 'at': m.position} AS place,
        {
            'run': m.run,
            'text': m.text,
            'error': m.error,
            'origin': m.origin,
            'is_synthetic': m.is_synthetic,
            'first_at': m.first_at
        } AS result,
        list_contains(p.path, m.run) AS is_active
    FROM messages AS m
    JOIN v_paths AS p ON p.tenant_id = m.tenant_id AND p.thread_id = m.thread_id
    WHERE m.role = 'tool' AND m.is_new AND m.tool_call_id IS NOT NULL
),
answered AS (
    SELECT
        c.tenant_id,
        c.thread_id,
        c.run,
        c.position,
        c.call_index,
        count(*) AS result_count,
        first(r.result ORDER BY r.result.is_synthetic, NOT r.is_active, r.place) AS result
    FROM calls AS c
    JOIN results AS r
        ON r.tenant_id = c.tenant_id
        AND r.thread_id = c.thread_id
        AND r.tool_call_id = c.tool_call_id
        AND (c.is_first OR r.place >= c.place)
        AND (c.next_place IS NULL OR r.place < c.next_place)
    GROUP BY c.tenant_id, c.thread_id, c.run, c.position, c.call_index
)
SELECT
    c.tenant_id,
    c.thread_id,
    c.run,
    c.run_id,
    c.position,
    c.call_index,
    c.tool_call_id,
    c.name,
    c.arguments,
    c.validity,
    owner.message_id,
    owner.text AS message_text,
    owner.subagent_run_id,
    a.result.text AS result,
    a.result.error AS result_error,
    coalesce(a.result_count, 0) AS result_count,
    a.result.run AS resolved_by_run,
    CASE
        WHEN a.result.run IS NULL THEN NULL
        WHEN a.result.run > c.run AND a.result.origin <> 'result' THEN 'client'
        ELSE 'server'
    END AS executor,
    date_diff('millisecond', coalesce(c.last_at, c.first_at), a.result.first_at) AS latency_ms,
    CASE WHEN c.is_complete AND a.result.is_synthetic = false THEN 'complete' ELSE 'incomplete' END AS status,
    c.first_at,
    c.last_at,
    c.dt
FROM calls AS c
LEFT JOIN answered AS a
    ON a.tenant_id = c.tenant_id
    AND a.thread_id = c.thread_id
    AND a.run = c.run
    AND a.position = c.position
    AND a.call_index = c.call_index
LEFT JOIN messages AS owner
    ON owner.tenant_id = c.tenant_id
    AND owner.thread_id = c.thread_id
    AND owner.run = c.run
    AND owner.position = c.position;
