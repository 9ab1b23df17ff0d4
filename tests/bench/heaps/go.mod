module heaps

go 1.18
