-- One row a thread. messages counts the view at the end of the newest run (the active branch); runs, tool calls and
-- tokens count every branch.
CREATE VIEW v_threads AS
SELECT
    tenant_id,
    thread_id,
    coalesce(list_sort(list(DISTINCT user_id) FILTER (user_id IS NOT NULL)), []) AS user_ids,
    coalesce(list_sort(list(DISTINCT agent_id) FILTER (agent_id IS NOT NULL)), []) AS agent_ids,
    min(started_at) AS first_at,
    max(ended_at) AS last_at,
    count(*) AS runs,
    count(*) FILTER (is_leaf) AS branches,
    arg_max(message_count, run) AS messages,
    sum(tool_call_count)::BIGINT AS tool_calls,
    sum(input_tokens)::BIGINT AS input_tokens,
    sum(output_tokens)::BIGINT AS output_tokens,
    sum(total_tokens)::BIGINT AS total_tokens,
    arg_max(status, run) AS last_status
FROM v_runs
GROUP BY tenant_id, thread_id;
