create table if not exists payment_keys (
  principal    text not null,
  key          text not null,
  intent       text not null,
  request_hash text not null,         -- the same key must come with the same request
  state        text not null check (state in ('IN_PROGRESS', 'DONE', 'FENCED')),
  executor     uuid,                  -- who works on it: nobody else can finish it
  valid_until  timestamptz not null,  -- the end of the lease, then of the retention
  status       int,                   -- the stored answer
  body         text,
  primary key (principal, key)        -- each principal has keys of its own
);
create index if not exists payment_keys_over on payment_keys (valid_until);
create index if not exists payment_keys_fenced
  on payment_keys (principal, intent) where state = 'FENCED';

create table if not exists ledger (
  payment   bigint generated always as identity primary key,
  principal text not null,
  intent    text not null,            -- not unique: a duplicate must be visible here
  account   text not null,
  amount    bigint not null,
  key       text
);
create index if not exists ledger_intent on ledger (principal, intent);
