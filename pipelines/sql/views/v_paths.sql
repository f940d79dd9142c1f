-- One row a thread: the path to its newest run (root first), and the depth of every run below its root.
-- A run's ordinal is above its parent's, so one pass from the newest run down finds the path, and one up the depths.
-- Folds over lists rather than recursion: a filter on tenant_id or thread_id is pushed below them.
CREATE VIEW v_paths AS
WITH lineage AS (
    SELECT
        tenant_id,
        thread_id,
        max(run) AS newest_run,
        list({'run': run, 'parent': parent, 'wanted': NULL::INTEGER, 'path': []::INTEGER[]} ORDER BY run DESC) AS downwards,
        list({'run': run, 'parent': parent, 'runs': []::INTEGER[], 'depths': []::INTEGER[]} ORDER BY run) AS upwards
    FROM runs
    GROUP BY tenant_id, thread_id
),
walked AS (
    SELECT
        tenant_id,
        thread_id,
        newest_run,
        list_reduce(
            downwards,
            lambda below, step: CASE
                WHEN step.run = below.wanted THEN {
                    'run': step.run,
                    'parent': step.parent,
                    'wanted': step.parent,
                    'path': list_prepend(step.run, below.path)
                }
                ELSE below
            END,
            {'run': NULL::INTEGER, 'parent': NULL::INTEGER, 'wanted': newest_run, 'path': []::INTEGER[]}
        ) AS down,
        list_reduce(
            upwards,
            lambda above, step: {
                'run': step.run,
                'parent': step.parent,
                'runs': list_append(above.runs, step.run),
                'depths': list_append(
                    above.depths,
                    coalesce(above.depths[list_position(above.runs, step.parent)] + 1, 0)::INTEGER
                )
            },
            {'run': NULL::INTEGER, 'parent': NULL::INTEGER, 'runs': []::INTEGER[], 'depths': []::INTEGER[]}
        ) AS up
    FROM lineage
)
SELECT tenant_id, thread_id, newest_run, down.path AS path, up.runs AS runs, up.depths AS depths
FROM walked;
