-- Operations that survive the process that began them. PostgreSQL 12 or newer. This script creates
-- what is not there, so it may run again.
create table if not exists steadfast_operation (
  id              bigint generated always as identity primary key,
  name            varchar(100) not null,
  principal       varchar(255) not null,
  op_key          varchar(255) not null,
  fingerprint     text         not null,
  method          text         not null,
  uri             text         not null,
  origin          varchar(300) not null,    -- of the uri: scheme, host and port
  headers         text         not null,
  body            bytea,                    -- null: not kept
  repeatable      varchar(10)  not null,    -- keyed, idempotent, never
  key_window_ms   bigint,                   -- how long it can be sent again; null: not at all
  key_header      text,                     -- the key as it goes over the wire
  key_line        text,
  caller          varchar(255) not null default '', -- the principal that called it; empty for none
  deliver         boolean      not null,    -- enlisted: resuming owns it
  state           varchar(9)   not null,    -- ready, in_flight, succeeded, failed, closed, unknown,
                                            -- parked, cancelled
  created_at      timestamp with time zone not null,
  first_sent_at   timestamp with time zone, -- committed before the first byte is sent
  key_expires_at  timestamp with time zone, -- it is not sent again after that
  due_at          timestamp with time zone, -- when resuming looks at it; null: see lease_until
  again           boolean      not null,    -- it was claimed before
  lease_token     varchar(36),
  lease_until     timestamp with time zone,
  claims          integer      not null,
  attempts        integer      not null,
  deliveries      integer      not null,    -- of the claims, those that were not held back
  delivering_since timestamp with time zone not null,
  passed          boolean      not null,    -- parked, and later ones of its sequence may be sent
  sequence_name   varchar(100),
  sequence_number bigint,
  status          integer,
  answer_headers  text,
  answer_body     bytea,                    -- null: not kept
  ended_at        timestamp with time zone, -- when the last claim ended
  row_version     integer      not null,
  constraint steadfast_operation_id unique (name, principal, op_key)
);

-- What resuming sends, for each origin; each index holds unfinished operations alone.
create index if not exists steadfast_operation_due
  on steadfast_operation (origin, again, due_at)
  where state = 'ready' and sequence_name is null and due_at is not null;

-- The same, the oldest first.
create index if not exists steadfast_operation_oldest
  on steadfast_operation (due_at, id)
  where state = 'ready' and sequence_name is null and due_at is not null;

-- Those whose owner may be dead.
create index if not exists steadfast_operation_left
  on steadfast_operation ((coalesce(due_at, lease_until)))
  where state = 'in_flight' and sequence_name is null;

-- Those whose caller was told that their effect is unknown.
create index if not exists steadfast_operation_told
  on steadfast_operation (key_expires_at, id)
  where state = 'ready' and due_at is null;

-- When they can no longer be sent again.
create index if not exists steadfast_operation_expiry
  on steadfast_operation (key_expires_at)
  where state in ('ready', 'in_flight') and key_expires_at is not null;

-- Those without a body, which resuming cannot send.
create index if not exists steadfast_operation_bodiless
  on steadfast_operation (id)
  where state in ('ready', 'in_flight') and body is null and first_sent_at is not null;

create index if not exists steadfast_operation_unknown
  on steadfast_operation (ended_at, id) where state = 'unknown';

create index if not exists steadfast_operation_finished
  on steadfast_operation (ended_at) where state in ('succeeded', 'failed', 'closed', 'cancelled');

create index if not exists steadfast_operation_parked
  on steadfast_operation (ended_at, id) where state = 'parked';

create index if not exists steadfast_operation_sequence
  on steadfast_operation (sequence_name, sequence_number)
  where sequence_name is not null and state in ('ready', 'in_flight', 'unknown', 'parked');

create table if not exists steadfast_sequence (
  name        varchar(100) primary key,
  last_number bigint not null,
  look_at     timestamp with time zone      -- when resuming looks at its first one; null: it is empty
);

create index if not exists steadfast_sequence_look
  on steadfast_sequence (look_at) where look_at is not null;
