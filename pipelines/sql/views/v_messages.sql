-- The messages of each thread's active branch: the view at the end of its newest run, each message in its last version,
-- at view_position. run and position say which row that is.
-- Exact (docs/tables.md, "rebuild"), but for verbatim runs, whose rows lie in events.
--
-- The fold carries a view as a list of places, run * 2^32 + position. A run's view is
--   survivors: the base view without the dropped positions
--   view:      the run's rows at their positions, the survivors in the gaps in order
CREATE VIEW v_messages AS
WITH brought AS (
    SELECT tenant_id, thread_id, run, list(position ORDER BY position) AS positions
    FROM messages
    GROUP BY tenant_id, thread_id, run
),
steps AS (
    SELECT
        r.tenant_id,
        r.thread_id,
        list(
            {
                'run': r.run::BIGINT,
                'message_count': r.message_count,
                'dropped': r.dropped_positions,
                'positions': coalesce(b.positions, []::INTEGER[]),
                'view': []::BIGINT[]
            } ORDER BY r.run
        ) AS steps
    FROM runs AS r
    JOIN v_paths AS p
        ON p.tenant_id = r.tenant_id AND p.thread_id = r.thread_id AND list_contains(p.path, r.run)
    LEFT JOIN brought AS b ON b.tenant_id = r.tenant_id AND b.thread_id = r.thread_id AND b.run = r.run
    GROUP BY r.tenant_id, r.thread_id
),
folded AS (
    SELECT
        tenant_id,
        thread_id,
        list_reduce(
            list_prepend(
                {
                    'run': NULL::BIGINT,
                    'message_count': 0::INTEGER,
                    'dropped': []::INTEGER[],
                    'positions': []::INTEGER[],
                    'view': []::BIGINT[]
                },
                steps
            ),
            lambda base, step: {
                'run': step.run,
                'message_count': step.message_count,
                'dropped': step.dropped,
                'positions': step.positions,
                'view': CASE
                    WHEN len(step.dropped) = 0 AND coalesce(step.positions[1] >= len(base.view), true)
                        THEN base.view || [(step.run << 32) + spot FOR spot IN step.positions]
                    ELSE list_transform(
                        range(step.message_count),
                        lambda spot: CASE
                            WHEN list_contains(step.positions, spot::INTEGER) THEN (step.run << 32) + spot
                            ELSE list_filter(
                                base.view,
                                lambda place, nth: NOT list_contains(step.dropped, (nth - 1)::INTEGER)
                            )[spot + 1 - len(list_filter(step.positions, lambda other: other < spot))]
                        END
                    )
                END
            }
        ).view AS view
    FROM steps
),
placed AS (
    SELECT
        tenant_id,
        thread_id,
        (unnest(range(len(view))))::INTEGER AS view_position,
        unnest(view) AS place
    FROM folded
)
SELECT m.*, placed.view_position
FROM placed
JOIN messages AS m
    ON m.tenant_id = placed.tenant_id
    AND m.thread_id = placed.thread_id
    AND m.run = placed.place >> 32
    AND m.position = placed.place & 4294967295;
