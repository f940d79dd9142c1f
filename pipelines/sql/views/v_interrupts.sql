-- One row an interrupt that a run ended with, and the later run whose input answered it (the active branch's first).
CREATE VIEW v_interrupts AS
WITH asked AS (
    SELECT
        tenant_id,
        thread_id,
        run,
        run_id,
        ended_at,
        dt,
        unnest(from_json(outcome -> '$.interrupts', '["JSON"]')) AS interrupt
    FROM runs
    WHERE outcome LIKE '%interrupts%'
),
entries AS (
    SELECT tenant_id, thread_id, run, started_at, unnest(from_json(input -> '$.resume', '["JSON"]')) AS entry
    FROM runs
    WHERE input LIKE '%resume%'
),
answers AS (
    SELECT
        e.tenant_id,
        e.thread_id,
        e.run,
        e.started_at,
        e.entry,
        coalesce(e.entry ->> '$.interruptId', e.entry ->> '$.interrupt_id') AS interrupt_id,
        list_contains(p.path, e.run) AS is_active
    FROM entries AS e
    JOIN v_paths AS p ON p.tenant_id = e.tenant_id AND p.thread_id = e.thread_id
)
SELECT
    q.tenant_id,
    q.thread_id,
    q.run,
    q.run_id,
    q.interrupt ->> '$.id' AS interrupt_id,
    q.interrupt ->> '$.reason' AS reason,
    q.interrupt ->> '$.message' AS message,
    q.interrupt ->> '$.toolCallId' AS tool_call_id,
    q.interrupt,
    q.ended_at AS asked_at,
    min_by(a.run, (NOT a.is_active, a.run)) AS resolved_by_run,
    min_by(a.entry ->> '$.status', (NOT a.is_active, a.run)) AS resolution,
    min_by(a.entry -> '$.payload', (NOT a.is_active, a.run)) AS payload,
    min_by(a.started_at, (NOT a.is_active, a.run)) AS resolved_at,
    q.dt
FROM asked AS q
LEFT JOIN answers AS a
    ON a.tenant_id = q.tenant_id
    AND a.thread_id = q.thread_id
    AND a.interrupt_id = q.interrupt ->> '$.id'
    AND a.run > q.run
GROUP BY ALL;
