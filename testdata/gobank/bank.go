// Package gobank is a program worth profiling: it has a mutex, an inlined
// function, recursion, allocations of several sizes and labelled work.
package gobank

import (
	"hash/fnv"
	"sync"
)

// Bank is a ledger of accounts.
type Bank struct {
	mu       sync.Mutex
	accounts [][]byte
}

// add is small enough to be inlined into Deposit.
func add(balance, amount byte) byte {
	return balance*31 + amount
}

// Deposit adds an amount to every byte of a new account of the given size.
func (b *Bank) Deposit(size int, amount byte) {
	account := make([]byte, size)
	for i := range account {
		account[i] = add(account[i], amount+byte(i))
	}
	b.mu.Lock()
	b.accounts = append(b.accounts, account)
	b.mu.Unlock()
}

// Audit sums the accounts up by halves.
func (b *Bank) Audit() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return auditRange(b.accounts)
}

func auditRange(accounts [][]byte) uint64 {
	if len(accounts) == 0 {
		return 0
	}
	if len(accounts) == 1 {
		return checksum(accounts[0])
	}
	half := len(accounts) / 2
	return auditRange(accounts[:half]) ^ auditRange(accounts[half:])
}

func checksum(account []byte) uint64 {
	h := fnv.New64a()
	h.Write(account)
	return h.Sum64()
}
