create table orders (number varchar(20) primary key);
