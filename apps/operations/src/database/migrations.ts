/** Migrations in order; a number that was released never changes. Each runs once, in a transaction. */
export const MIGRATIONS: readonly { number: number; sql: string }[] = [
  {
    number: 1,
    sql: `
create table positions (
  topic text not null,
  partition int not null,
  next bigint not null,
  primary key (topic, partition)
);
create table orders (
  key text collate "C" primary key,
  merchant text collate "C" not null,
  order_id text collate "C" not null,
  partition int not null,
  status text not null,
  currency text,
  amount bigint,
  began_at timestamptz,
  moved_at timestamptz not null,
  changed xid8 not null default pg_current_xact_id(),
  last_offset bigint not null,
  names text[] not null,
  state jsonb not null
);
create index orders_by_id on orders (order_id, merchant);
create index orders_by_time on orders (moved_at desc, key desc);
create index orders_by_merchant on orders (merchant, moved_at desc, key desc);
create index orders_by_status on orders (status, moved_at desc, key desc);
create index orders_by_change on orders (changed, key);
create index orders_by_partition on orders (partition);
create index orders_by_name on orders using gin (names) with (fastupdate = off);
create table records (
  topic text not null,
  partition int not null,
  "offset" bigint not null,
  key text collate "C",
  merchant text collate "C" not null,
  at timestamptz not null,
  kind text not null,
  hash text,
  body jsonb not null,
  primary key (topic, partition, "offset")
);
create index records_by_key on records (key, at);
create index records_by_time on records (topic, at desc, partition desc, "offset" desc);
create table attention (
  key text collate "C" not null,
  id text not null,
  kind text not null,
  merchant text collate "C" not null,
  order_id text not null,
  since timestamptz not null,
  open_from timestamptz not null,
  act_by timestamptz,
  urgent_at timestamptz not null,
  amount bigint,
  currency text,
  body jsonb not null,
  primary key (key, kind, id)
);
create table jobs (
  id text primary key,
  kind text not null,
  status text not null,
  merchants text[] not null,
  created_at timestamptz not null,
  state jsonb not null
);
create index jobs_by_time on jobs (created_at desc, id desc);
create table job_items (
  job text not null,
  number int not null,
  key text,
  verdict text,
  why text,
  about jsonb,
  result text,
  result_why text,
  proposal text,
  primary key (job, number)
);
create index job_items_by_verdict on job_items (job, verdict, number);
create index attention_by_urgency on attention (urgent_at, key, kind, id);
`,
  },
  {
    number: 2,
    sql: `
create table calls (
  minute timestamptz not null,
  rail text not null,
  merchant text collate "C" not null,
  result text not null,
  partition int not null,
  number int not null,
  primary key (minute, rail, merchant, result, partition)
);
`,
  },
  {
    number: 3,
    sql: `
create unlogged table export_rows (
  job text not null,
  order_id text collate "C" not null,
  line int not null,
  body json not null,
  made_at timestamptz not null default now(),
  primary key (job, order_id, line)
);
`,
  },
];
