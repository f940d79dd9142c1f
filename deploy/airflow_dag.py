"""threadlake every night: one task a date, in order, made up for where one was missed.

Copy it into Airflow's dags folder (Airflow 3). The command must be on the worker's PATH; with the image of
`deploy/Dockerfile`, give the same words to KubernetesPodOperator.
"""

from __future__ import annotations

import datetime as dt

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG
from airflow.timetables.interval import CronDataIntervalTimetable

COMMAND = (
    "threadlake compact s3://logs/agui --lake s3://lake/agui"
    " --date {{ data_interval_start | ds }} --fail-on 0.01 --json"
)

with DAG(
    dag_id="threadlake_nightly",
    schedule=CronDataIntervalTimetable("30 1 * * *", timezone="UTC"),
    start_date=dt.datetime(2026, 12, 1, tzinfo=dt.UTC),
    catchup=True,  # a date that was missed is run, before those that follow it
    max_active_runs=1,
    default_args={"depends_on_past": True, "retries": 4, "retry_delay": dt.timedelta(minutes=10)},
    tags=["threadlake"],
):
    # 1 is "done, with findings", and no failure of the task
    BashOperator(task_id="compact", bash_command=f"{COMMAND} || [ $? -eq 1 ]")
