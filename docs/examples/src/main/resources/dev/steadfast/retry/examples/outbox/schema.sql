create table if not exists orders (
  id      text primary key,
  account text not null,
  amount  bigint not null
);

-- As the documentation of db-scheduler has it.
create table if not exists scheduled_tasks (
  task_name            text not null,
  task_instance        text not null,
  task_data            bytea,
  execution_time       timestamp with time zone not null,
  picked               boolean not null,
  picked_by            text,
  last_success         timestamp with time zone,
  last_failure         timestamp with time zone,
  consecutive_failures int,
  last_heartbeat       timestamp with time zone,
  version              bigint not null,
  priority             smallint,
  primary key (task_name, task_instance)
);
create index if not exists scheduled_tasks_time on scheduled_tasks (execution_time);
create index if not exists scheduled_tasks_heartbeat on scheduled_tasks (last_heartbeat);
