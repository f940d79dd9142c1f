-- One row a run: all columns of runs, its place in the tree, its time and its tokens.
CREATE VIEW v_runs AS
WITH tokens AS (
    SELECT
        tenant_id,
        thread_id,
        run,
        sum(input_tokens)::BIGINT AS input_tokens,
        sum(output_tokens)::BIGINT AS output_tokens,
        sum(coalesce(total_tokens, input_tokens + output_tokens))::BIGINT AS total_tokens
    FROM usage
    GROUP BY tenant_id, thread_id, run
),
parents AS (
    SELECT tenant_id, thread_id, list(DISTINCT parent) AS parents
    FROM runs
    WHERE parent IS NOT NULL
    GROUP BY tenant_id, thread_id
)
SELECT
    r.*,
    continued.run_id AS continues_run_id,
    p.depths[list_position(p.runs, r.run)] AS depth,
    NOT coalesce(list_contains(n.parents, r.run), false) AS is_leaf,
    list_contains(p.path, r.run) AS is_active_branch,
    date_diff('millisecond', r.started_at, r.ended_at) AS duration_ms,
    t.input_tokens,
    t.output_tokens,
    t.total_tokens
FROM runs AS r
JOIN v_paths AS p ON p.tenant_id = r.tenant_id AND p.thread_id = r.thread_id
LEFT JOIN parents AS n ON n.tenant_id = r.tenant_id AND n.thread_id = r.thread_id
LEFT JOIN tokens AS t ON t.tenant_id = r.tenant_id AND t.thread_id = r.thread_id AND t.run = r.run
LEFT JOIN runs AS continued
    ON continued.tenant_id = r.tenant_id AND continued.thread_id = r.thread_id AND continued.run = r.parent;
