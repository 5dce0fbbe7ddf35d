create table if not exists messages (
  id             bigint generated always as identity primary key,
  account        text not null,
  amount         bigint not null,
  visible_at     timestamptz not null default clock_timestamp(), -- delivered from then on
  deliveries     int not null default 0,
  first_delivery timestamptz,
  outcome        text                                            -- null: not acknowledged
);
create index if not exists messages_waiting on messages (visible_at) where outcome is null;
