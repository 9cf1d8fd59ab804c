/** Role of the sandbox's connections: may read the company's tables, and nothing else. */
export const analyst = "analyst"

/**
 * Larkspur, a company that sells software: who its customers are, what they bought and what they ask. Made by
 * arithmetic, so it is the same each time.
 */
export const seed: ReadonlyArray<string> = [
  "begin transaction read write",
  "drop schema public cascade",
  `create role ${analyst} nologin nosuperuser nocreatedb nocreaterole`,
  // with it, any reader could become the session's own role again
  "revoke execute on function pg_catalog.set_config(text, text, boolean) from public",
  "revoke all on database postgres from public",
  "create schema company",
  "comment on schema company is 'Customers, products, orders, invoices and support of Larkspur Software'",

  `create table company.customers (
    id integer generated always as identity primary key,
    name text not null,
    country char(2) not null,
    segment text not null check (segment in ('startup', 'mid-market', 'enterprise')),
    email text not null unique,
    created_at timestamptz not null
  )`,
  "comment on table company.customers is 'Companies that have an account'",
  "comment on column company.customers.segment is 'startup: up to 50 people; mid-market: up to 1000'",
  `insert into company.customers (name, country, segment, email, created_at)
   select first || ' ' || second, country, segment, lower(first) || '.' || lower(second) || '@example.com',
          timestamptz '2024-01-08 09:00+00' + n * interval '8 days'
   from (
     select n,
       (array['Alder','Birch','Cedar','Dogwood','Elm','Fir','Ginkgo','Hazel','Ivy','Juniper'])[1 + n % 10] as first,
       (array['Analytics','Bikes','Catering','Dental','Energy','Freight','Games','Homes'])[1 + n / 10 % 8] as second,
       (array['DE','US','GB','FR','NL','JP'])[1 + n * 7 % 6] as country,
       (array['startup','mid-market','enterprise'])[1 + n * 5 % 3] as segment
     from generate_series(0, 79) n
   ) made`,

  `create table company.products (
    id integer generated always as identity primary key,
    sku text not null unique,
    name text not null,
    price numeric(10,2) not null,
    features jsonb not null,
    icon bytea not null
  )`,
  `insert into company.products (sku, name, price, features, icon) values
   ('LK-START', 'Larkspur Starter', 19.00, '{"seats": 3, "sso": false}', decode(repeat('89504e47', 40), 'hex')),
   ('LK-TEAM', 'Larkspur Team', 79.00, '{"seats": 20, "sso": false}', decode(repeat('89504e47', 52), 'hex')),
   ('LK-CORP', 'Larkspur Corporate', 499.00, '{"seats": 250, "sso": true}', decode(repeat('89504e47', 61), 'hex')),
   ('LK-AUDIT', 'Audit log', 49.50, '{"retentionDays": 365}', decode(repeat('89504e47', 33), 'hex')),
   ('LK-HELP', 'Priority support', 120.00, '{"hours": "24/7"}', decode(repeat('89504e47', 47), 'hex'))`,

  `create table company.orders (
    id bigint generated always as identity (start with 9007199254740993) primary key,
    customer_id integer not null references company.customers (id),
    status text not null check (status in ('open', 'paid', 'cancelled')),
    ordered_on date not null
  )`,
  "create index orders_by_customer on company.orders (customer_id, ordered_on)",
  `insert into company.orders (customer_id, status, ordered_on)
   select 1 + n * 13 % 80, (array['paid','paid','paid','open','cancelled'])[1 + n % 5], date '2026-01-05' + n % 300
   from generate_series(0, 599) n`,

  `create table company.order_lines (
    order_id bigint not null references company.orders (id),
    line integer not null,
    product_id integer not null references company.products (id),
    quantity integer not null check (quantity > 0),
    unit_price numeric(10,2) not null,
    primary key (order_id, line)
  )`,
  `insert into company.order_lines
   select o.id, l, p.id, 1 + (o.id + l)::int8 % 4, p.price
   from company.orders o
   cross join generate_series(1, 2) l
   join company.products p on p.id = 1 + (o.id + l * 2) % 5`,

  `create table company.tickets (
    id integer generated always as identity primary key,
    customer_id integer not null references company.customers (id),
    subject text not null,
    body text not null,
    priority smallint not null,
    is_open boolean not null,
    opened_at timestamptz not null
  )`,
  `insert into company.tickets (customer_id, subject, body, priority, is_open, opened_at)
   select 1 + n * 11 % 80,
     (array['Cannot sign in','Invoice is wrong','Export takes long','How do I add a seat?'])[1 + n % 4],
     'Hello, ' || repeat('this happens since the last release. ', 1 + n % 5 * 20),
     1 + n % 3, n % 4 = 0, timestamptz '2026-03-02 08:00+00' + n * interval '31 hours'
   from generate_series(0, 159) n`,

  `create view company.revenue_by_month as
   select date_trunc('month', o.ordered_on)::date as month, sum(l.quantity * l.unit_price) as revenue, count(distinct o.id) as orders
   from company.orders o join company.order_lines l on l.order_id = o.id
   where o.status = 'paid' group by 1 order by 1`,
  "comment on view company.revenue_by_month is 'What was paid, by month of the order'",

  `grant usage on schema company to ${analyst}`,
  `grant select on all tables in schema company to ${analyst}`,
  "commit",
  "analyze"
]
