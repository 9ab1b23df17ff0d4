module gobank

go 1.18
