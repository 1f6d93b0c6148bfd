module client

go 1.26
