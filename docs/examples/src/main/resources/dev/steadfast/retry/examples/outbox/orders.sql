create table if not exists orders (
  id      text primary key,
  account text not null,
  amount  bigint not null
);
