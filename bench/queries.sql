-- Inserts, indexes, joins, groups and sorts, all in memory.
create table item(id integer primary key, name text, price real, kind integer);
with recursive c(i) as (select 1 union all select i + 1 from c where i < 30000)
insert into item select i, 'name' || (i * 7919 % 10007), i * 1.5, i % 53 from c;
create index item_name on item(name);
create index item_kind on item(kind, price);
create table sale as select id * 13 % 29989 + 1 as item, id % 7 as n, 'customer ' || (id % 400) as who from item;
select kind, count(*), sum(price * n) from item join sale on sale.item = item.id group by kind order by 3 desc limit 5;
select who, group_concat(distinct kind) from sale join item on sale.item = item.id where n > 3 group by who order by who limit 5;
update item set price = price * 1.1 where kind in (select kind from item group by kind having avg(price) > 9000);
delete from item where name like '%77';
select count(*), sum(length(name)), round(sum(price)) from item where name > 'name5' and kind between 10 and 40;
