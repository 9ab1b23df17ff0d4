# bank.c, by gcc 12.2.0: gcc -pg -g -O1 -falign-functions=16 -S
# ld: --section-start=.text=0x11f0 --build-id=0x28b9c78da183391df5986f170b6e8df0b46f9306
	.file	"bank.c"
	.text
.Ltext0:
	.file 0 "/src" "bank.c"
	.p2align 4
	.globl	Mutex_lock
	.type	Mutex_lock, @function
Mutex_lock:
.LVL0:
.LFB22:
	.file 1 "bank.c"
	.loc 1 23 1 view -0
	.cfi_startproc
	.loc 1 23 1 is_stmt 0 view .LVU1
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
1:	call	*mcount@GOTPCREL(%rip)
	.loc 1 24 5 is_stmt 1 view .LVU2
.LBB5:
	.loc 1 24 10 view .LVU3
.LVL1:
	.loc 1 24 28 view .LVU4
	testl	%edi, %edi
	je	.L1
	.loc 1 24 19 is_stmt 0 view .LVU5
	movl	$0, %edx
.LVL2:
.L3:
	.loc 1 25 9 is_stmt 1 discriminator 3 view .LVU6
	.loc 1 25 31 is_stmt 0 discriminator 3 view .LVU7
	movl	lock_word(%rip), %eax
	imull	$1664525, %eax, %eax
	.loc 1 25 42 discriminator 3 view .LVU8
	addl	$1013904223, %eax
	.loc 1 25 19 discriminator 3 view .LVU9
	movl	%eax, lock_word(%rip)
	.loc 1 24 38 is_stmt 1 discriminator 3 view .LVU10
	addl	$1, %edx
.LVL3:
	.loc 1 24 28 discriminator 3 view .LVU11
	cmpl	%edx, %edi
	jne	.L3
.LVL4:
.L1:
	.loc 1 24 28 is_stmt 0 discriminator 3 view .LVU12
.LBE5:
	.loc 1 26 1 view .LVU13
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE22:
	.size	Mutex_lock, .-Mutex_lock
	.p2align 4
	.globl	checksum
	.type	checksum, @function
checksum:
.LVL5:
.LFB23:
	.loc 1 29 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 29 1 is_stmt 0 view .LVU15
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
1:	call	*mcount@GOTPCREL(%rip)
	.loc 1 30 5 is_stmt 1 view .LVU16
.LVL6:
	.loc 1 32 5 view .LVU17
.LBB6:
	.loc 1 32 10 view .LVU18
	.loc 1 32 26 view .LVU19
	testq	%rsi, %rsi
	je	.L8
	movq	%rdi, %r8
	addq	%rsi, %rdi
.LVL7:
	.loc 1 32 26 is_stmt 0 view .LVU20
.LBE6:
	.loc 1 30 21 view .LVU21
	movl	$0, %eax
	.loc 1 30 14 view .LVU22
	movl	$1, %edx
.LBB7:
	.loc 1 33 11 view .LVU23
	movl	$2147975281, %esi
.LVL8:
.L7:
	.loc 1 33 9 is_stmt 1 discriminator 3 view .LVU24
	.loc 1 33 23 is_stmt 0 discriminator 3 view .LVU25
	movzbl	(%r8), %ecx
	.loc 1 33 16 discriminator 3 view .LVU26
	addl	%edx, %ecx
	.loc 1 33 11 discriminator 3 view .LVU27
	movl	%ecx, %edx
.LVL9:
	.loc 1 33 11 discriminator 3 view .LVU28
	imulq	%rsi, %rdx
	shrq	$47, %rdx
	imull	$65521, %edx, %r9d
	subl	%r9d, %ecx
	movl	%ecx, %edx
.LVL10:
	.loc 1 34 9 is_stmt 1 discriminator 3 view .LVU29
	.loc 1 34 16 is_stmt 0 discriminator 3 view .LVU30
	leal	(%rcx,%rax), %ecx
	.loc 1 34 11 discriminator 3 view .LVU31
	movl	%ecx, %eax
.LVL11:
	.loc 1 34 11 discriminator 3 view .LVU32
	imulq	%rsi, %rax
	shrq	$47, %rax
	imull	$65521, %eax, %r9d
	movl	%ecx, %eax
	subl	%r9d, %eax
.LVL12:
	.loc 1 32 32 is_stmt 1 discriminator 3 view .LVU33
	.loc 1 32 26 discriminator 3 view .LVU34
	addq	$1, %r8
.LVL13:
	.loc 1 32 26 is_stmt 0 discriminator 3 view .LVU35
	cmpq	%rdi, %r8
	jne	.L7
.LVL14:
.L6:
	.loc 1 32 26 discriminator 3 view .LVU36
.LBE7:
	.loc 1 36 5 is_stmt 1 view .LVU37
	.loc 1 36 14 is_stmt 0 view .LVU38
	sall	$16, %eax
	.loc 1 36 20 view .LVU39
	orl	%edx, %eax
	.loc 1 37 1 view .LVU40
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.LVL15:
.L8:
	.cfi_restore_state
	.loc 1 30 21 view .LVU41
	movl	$0, %eax
	.loc 1 30 14 view .LVU42
	movl	$1, %edx
	jmp	.L6
	.cfi_endproc
.LFE23:
	.size	checksum, .-checksum
	.p2align 4
	.globl	deposit
	.type	deposit, @function
deposit:
.LVL16:
.LFB24:
	.loc 1 40 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 40 1 is_stmt 0 view .LVU44
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
1:	call	*mcount@GOTPCREL(%rip)
	movl	%edi, %ebx
	.loc 1 41 5 is_stmt 1 view .LVU45
	movl	$6000, %edi
.LVL17:
	.loc 1 41 5 is_stmt 0 view .LVU46
	call	Mutex_lock
.LVL18:
	.loc 1 42 5 is_stmt 1 view .LVU47
.LBB8:
	.loc 1 42 10 view .LVU48
	.loc 1 42 28 view .LVU49
	leaq	ledger(%rip), %rax
	leaq	4096(%rax), %r8
.LBE8:
	.loc 1 41 5 is_stmt 0 view .LVU50
	movq	%rax, %rcx
.LBB9:
	.loc 1 43 61 view .LVU51
	movl	$1, %edi
	subl	%eax, %edi
.LVL19:
.L11:
	.loc 1 43 9 is_stmt 1 discriminator 3 view .LVU52
	.loc 1 43 61 is_stmt 0 discriminator 3 view .LVU53
	leal	(%rdi,%rcx), %esi
	.loc 1 43 56 discriminator 3 view .LVU54
	movl	%ebx, %eax
	movl	$0, %edx
	divl	%esi
	.loc 1 43 21 discriminator 3 view .LVU55
	addb	%dl, (%rcx)
	.loc 1 42 39 is_stmt 1 discriminator 3 view .LVU56
.LVL20:
	.loc 1 42 28 discriminator 3 view .LVU57
	addq	$1, %rcx
	cmpq	%r8, %rcx
	jne	.L11
.LBE9:
	.loc 1 44 5 view .LVU58
	.loc 1 44 12 is_stmt 0 view .LVU59
	movl	$4096, %esi
	leaq	ledger(%rip), %rdi
	call	checksum
.LVL21:
	.loc 1 45 1 view .LVU60
	movq	-8(%rbp), %rbx
.LVL22:
	.loc 1 45 1 view .LVU61
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE24:
	.size	deposit, .-deposit
	.p2align 4
	.globl	withdraw
	.type	withdraw, @function
withdraw:
.LVL23:
.LFB25:
	.loc 1 48 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 48 1 is_stmt 0 view .LVU63
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
1:	call	*mcount@GOTPCREL(%rip)
	movl	%edi, %ebx
	.loc 1 49 5 is_stmt 1 view .LVU64
	movl	$2000, %edi
.LVL24:
	.loc 1 49 5 is_stmt 0 view .LVU65
	call	Mutex_lock
.LVL25:
	.loc 1 50 5 is_stmt 1 view .LVU66
.LBB10:
	.loc 1 50 10 view .LVU67
	.loc 1 50 28 view .LVU68
	leaq	ledger(%rip), %rax
	leaq	4096(%rax), %r8
.LBE10:
	.loc 1 49 5 is_stmt 0 view .LVU69
	movq	%rax, %rcx
.LBB11:
	.loc 1 51 61 view .LVU70
	movl	$1, %edi
	subl	%eax, %edi
.LVL26:
.L14:
	.loc 1 51 9 is_stmt 1 discriminator 3 view .LVU71
	.loc 1 51 61 is_stmt 0 discriminator 3 view .LVU72
	leal	(%rdi,%rcx), %esi
	.loc 1 51 56 discriminator 3 view .LVU73
	movl	%ebx, %eax
	movl	$0, %edx
	divl	%esi
	.loc 1 51 21 discriminator 3 view .LVU74
	subb	%dl, (%rcx)
	.loc 1 50 39 is_stmt 1 discriminator 3 view .LVU75
.LVL27:
	.loc 1 50 28 discriminator 3 view .LVU76
	addq	$1, %rcx
	cmpq	%r8, %rcx
	jne	.L14
.LBE11:
	.loc 1 52 5 view .LVU77
	.loc 1 52 12 is_stmt 0 view .LVU78
	movl	$4096, %esi
	leaq	ledger(%rip), %rdi
	call	checksum
.LVL28:
	.loc 1 53 1 view .LVU79
	movq	-8(%rbp), %rbx
.LVL29:
	.loc 1 53 1 view .LVU80
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE25:
	.size	withdraw, .-withdraw
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC2:
	.string	"ledger %08x\n"
	.text
	.p2align 4
	.globl	main
	.type	main, @function
main:
.LVL30:
.LFB26:
	.loc 1 56 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 56 1 is_stmt 0 view .LVU82
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 14, -24
	.cfi_offset 13, -32
	.cfi_offset 12, -40
	.cfi_offset 3, -48
1:	call	*mcount@GOTPCREL(%rip)
	.loc 1 57 5 is_stmt 1 view .LVU83
	.loc 1 57 47 is_stmt 0 view .LVU84
	movq	.LC0(%rip), %rbx
	cmpl	$1, %edi
	jg	.L21
.LVL31:
.L17:
	.loc 1 58 5 is_stmt 1 discriminator 4 view .LVU85
	.loc 1 58 19 is_stmt 0 discriminator 4 view .LVU86
	call	clock@PLT
.LVL32:
	.loc 1 58 47 discriminator 4 view .LVU87
	movq	%rbx, %xmm0
	mulsd	.LC1(%rip), %xmm0
	.loc 1 58 29 discriminator 4 view .LVU88
	cvttsd2siq	%xmm0, %r14
	.loc 1 58 13 discriminator 4 view .LVU89
	addq	%rax, %r14
.LVL33:
	.loc 1 59 5 is_stmt 1 discriminator 4 view .LVU90
	.loc 1 61 5 discriminator 4 view .LVU91
.LBB12:
	.loc 1 61 10 discriminator 4 view .LVU92
	.loc 1 61 19 is_stmt 0 discriminator 4 view .LVU93
	movl	$0, %r12d
.LBE12:
	.loc 1 59 14 discriminator 4 view .LVU94
	movl	$0, %r13d
.LBB13:
	.loc 1 61 5 discriminator 4 view .LVU95
	jmp	.L18
.LVL34:
.L21:
	.loc 1 61 5 discriminator 4 view .LVU96
.LBE13:
.LBB14:
.LBI14:
	.file 2 "/usr/include/x86_64-linux-gnu/bits/stdlib-float.h"
	.loc 2 25 1 is_stmt 1 discriminator 1 view .LVU97
.LBB15:
	.loc 2 27 3 discriminator 1 view .LVU98
	.loc 2 27 10 is_stmt 0 discriminator 1 view .LVU99
	movq	8(%rsi), %rdi
.LVL35:
	.loc 2 27 10 discriminator 1 view .LVU100
	movl	$0, %esi
.LVL36:
	.loc 2 27 10 discriminator 1 view .LVU101
	call	strtod@PLT
.LVL37:
	.loc 2 27 10 discriminator 1 view .LVU102
	movq	%xmm0, %rbx
.LVL38:
	.loc 2 27 10 discriminator 1 view .LVU103
.LBE15:
.LBE14:
	jmp	.L17
.LVL39:
.L19:
.LBB16:
	.loc 1 62 9 is_stmt 1 discriminator 3 view .LVU104
	.loc 1 62 16 is_stmt 0 discriminator 3 view .LVU105
	movl	%r12d, %edi
	call	deposit
.LVL40:
	movl	%eax, %ebx
.LVL41:
	.loc 1 63 9 is_stmt 1 discriminator 3 view .LVU106
	.loc 1 63 16 is_stmt 0 discriminator 3 view .LVU107
	movl	%r12d, %edi
	shrl	%edi
	call	withdraw
.LVL42:
	.loc 1 63 13 discriminator 3 view .LVU108
	xorl	%eax, %ebx
.LVL43:
	.loc 1 63 13 discriminator 3 view .LVU109
	xorl	%ebx, %r13d
.LVL44:
	.loc 1 61 42 is_stmt 1 discriminator 3 view .LVU110
	addl	$1, %r12d
.LVL45:
.L18:
	.loc 1 61 34 discriminator 1 view .LVU111
	.loc 1 61 26 is_stmt 0 discriminator 1 view .LVU112
	call	clock@PLT
.LVL46:
	.loc 1 61 34 discriminator 1 view .LVU113
	cmpq	%r14, %rax
	jl	.L19
.LBE16:
	.loc 1 65 5 is_stmt 1 view .LVU114
	movl	%r13d, %esi
	leaq	.LC2(%rip), %rdi
	movl	$0, %eax
	call	printf@PLT
.LVL47:
	.loc 1 66 5 view .LVU115
	.loc 1 67 1 is_stmt 0 view .LVU116
	movl	$0, %eax
	popq	%rbx
	popq	%r12
.LVL48:
	.loc 1 67 1 view .LVU117
	popq	%r13
.LVL49:
	.loc 1 67 1 view .LVU118
	popq	%r14
.LVL50:
	.loc 1 67 1 view .LVU119
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE26:
	.size	main, .-main
	.local	lock_word
	.comm	lock_word,4,4
	.local	ledger
	.comm	ledger,4096,32
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC0:
	.long	0
	.long	1072693248
	.align 8
.LC1:
	.long	0
	.long	1093567616
	.text
.Letext0:
	.file 3 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h"
	.file 4 "/usr/include/x86_64-linux-gnu/bits/types.h"
	.file 5 "/usr/include/x86_64-linux-gnu/bits/types/clock_t.h"
	.file 6 "/usr/include/stdlib.h"
	.file 7 "/usr/include/stdio.h"
	.file 8 "/usr/include/time.h"
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x4b0
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0x10
	.long	.LASF29
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0x9
	.long	.LASF9
	.byte	0x3
	.byte	0xd6
	.byte	0x17
	.long	0x3a
	.uleb128 0x1
	.byte	0x8
	.byte	0x7
	.long	.LASF2
	.uleb128 0x1
	.byte	0x4
	.byte	0x7
	.long	.LASF3
	.uleb128 0x11
	.long	0x41
	.uleb128 0x1
	.byte	0x1
	.byte	0x8
	.long	.LASF4
	.uleb128 0xc
	.long	0x4d
	.uleb128 0x1
	.byte	0x2
	.byte	0x7
	.long	.LASF5
	.uleb128 0x1
	.byte	0x1
	.byte	0x6
	.long	.LASF6
	.uleb128 0x1
	.byte	0x2
	.byte	0x5
	.long	.LASF7
	.uleb128 0x12
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0x1
	.byte	0x8
	.byte	0x5
	.long	.LASF8
	.uleb128 0x9
	.long	.LASF10
	.byte	0x4
	.byte	0x9c
	.byte	0x1b
	.long	0x75
	.uleb128 0x5
	.long	0x8d
	.uleb128 0x1
	.byte	0x1
	.byte	0x6
	.long	.LASF11
	.uleb128 0xc
	.long	0x8d
	.uleb128 0x1
	.byte	0x8
	.byte	0x5
	.long	.LASF12
	.uleb128 0x9
	.long	.LASF13
	.byte	0x5
	.byte	0x7
	.byte	0x13
	.long	0x7c
	.uleb128 0x1
	.byte	0x8
	.byte	0x7
	.long	.LASF14
	.uleb128 0x5
	.long	0x94
	.uleb128 0xd
	.long	0xb3
	.uleb128 0x13
	.byte	0x7
	.byte	0x4
	.long	0x41
	.byte	0x1
	.byte	0x11
	.byte	0x6
	.long	0xd3
	.uleb128 0x14
	.long	.LASF30
	.value	0x1000
	.byte	0
	.uleb128 0x15
	.long	0x4d
	.long	0xe4
	.uleb128 0x16
	.long	0x3a
	.value	0xfff
	.byte	0
	.uleb128 0xe
	.long	.LASF15
	.byte	0x13
	.byte	0x16
	.long	0xd3
	.uleb128 0x9
	.byte	0x3
	.quad	ledger
	.uleb128 0xe
	.long	.LASF16
	.byte	0x14
	.byte	0x1a
	.long	0x48
	.uleb128 0x9
	.byte	0x3
	.quad	lock_word
	.uleb128 0x17
	.long	.LASF18
	.byte	0x6
	.byte	0x76
	.byte	0xf
	.long	0x129
	.long	0x129
	.uleb128 0xa
	.long	0xb8
	.uleb128 0xa
	.long	0x135
	.byte	0
	.uleb128 0x1
	.byte	0x8
	.byte	0x4
	.long	.LASF17
	.uleb128 0x5
	.long	0x88
	.uleb128 0xd
	.long	0x130
	.uleb128 0x18
	.long	.LASF19
	.byte	0x7
	.value	0x164
	.byte	0xc
	.long	0x6e
	.long	0x152
	.uleb128 0xa
	.long	0xb3
	.uleb128 0x19
	.byte	0
	.uleb128 0x1a
	.long	.LASF31
	.byte	0x8
	.byte	0x48
	.byte	0x10
	.long	0xa0
	.uleb128 0x6
	.long	.LASF23
	.byte	0x37
	.byte	0x5
	.long	0x6e
	.quad	.LFB26
	.quad	.LFE26-.LFB26
	.uleb128 0x1
	.byte	0x9c
	.long	0x2ae
	.uleb128 0x4
	.long	.LASF20
	.byte	0x37
	.byte	0xe
	.long	0x6e
	.long	.LLST13
	.long	.LVUS13
	.uleb128 0x4
	.long	.LASF21
	.byte	0x37
	.byte	0x1b
	.long	0x130
	.long	.LLST14
	.long	.LVUS14
	.uleb128 0x1b
	.long	.LASF22
	.byte	0x1
	.byte	0x39
	.byte	0xc
	.long	0x129
	.long	.LLST15
	.long	.LVUS15
	.uleb128 0x3
	.string	"end"
	.byte	0x3a
	.byte	0xd
	.long	0xa0
	.long	.LLST16
	.long	.LVUS16
	.uleb128 0x3
	.string	"sum"
	.byte	0x3b
	.byte	0xe
	.long	0x41
	.long	.LLST17
	.long	.LVUS17
	.uleb128 0xb
	.long	.LLRL18
	.long	0x239
	.uleb128 0x3
	.string	"i"
	.byte	0x3d
	.byte	0x13
	.long	0x41
	.long	.LLST19
	.long	.LVUS19
	.uleb128 0x7
	.quad	.LVL40
	.long	0x339
	.long	0x211
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x7c
	.sleb128 0
	.byte	0
	.uleb128 0x7
	.quad	.LVL42
	.long	0x2ae
	.long	0x22b
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x4
	.byte	0x7c
	.sleb128 0
	.byte	0x31
	.byte	0x25
	.byte	0
	.uleb128 0xf
	.quad	.LVL46
	.long	0x152
	.byte	0
	.uleb128 0x1c
	.long	0x499
	.quad	.LBI14
	.byte	.LVU97
	.quad	.LBB14
	.quad	.LBE14-.LBB14
	.byte	0x1
	.byte	0x39
	.byte	0x21
	.long	0x27f
	.uleb128 0x1d
	.long	0x4a6
	.long	.LLST20
	.long	.LVUS20
	.uleb128 0x8
	.quad	.LVL37
	.long	0x10e
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x1
	.byte	0x30
	.byte	0
	.byte	0
	.uleb128 0xf
	.quad	.LVL32
	.long	0x152
	.uleb128 0x8
	.quad	.LVL47
	.long	0x13a
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	.LC2
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x2
	.byte	0x7d
	.sleb128 0
	.byte	0
	.byte	0
	.uleb128 0x6
	.long	.LASF24
	.byte	0x2f
	.byte	0x13
	.long	0x41
	.quad	.LFB25
	.quad	.LFE25-.LFB25
	.uleb128 0x1
	.byte	0x9c
	.long	0x339
	.uleb128 0x4
	.long	.LASF25
	.byte	0x2f
	.byte	0x25
	.long	0x41
	.long	.LLST10
	.long	.LVUS10
	.uleb128 0xb
	.long	.LLRL11
	.long	0x2fd
	.uleb128 0x3
	.string	"i"
	.byte	0x32
	.byte	0x13
	.long	0x41
	.long	.LLST12
	.long	.LVUS12
	.byte	0
	.uleb128 0x7
	.quad	.LVL25
	.long	0x449
	.long	0x316
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x3
	.byte	0xa
	.value	0x7d0
	.byte	0
	.uleb128 0x8
	.quad	.LVL28
	.long	0x3c4
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	ledger
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x3
	.byte	0xa
	.value	0x1000
	.byte	0
	.byte	0
	.uleb128 0x6
	.long	.LASF26
	.byte	0x27
	.byte	0x13
	.long	0x41
	.quad	.LFB24
	.quad	.LFE24-.LFB24
	.uleb128 0x1
	.byte	0x9c
	.long	0x3c4
	.uleb128 0x4
	.long	.LASF25
	.byte	0x27
	.byte	0x24
	.long	0x41
	.long	.LLST7
	.long	.LVUS7
	.uleb128 0xb
	.long	.LLRL8
	.long	0x388
	.uleb128 0x3
	.string	"i"
	.byte	0x2a
	.byte	0x13
	.long	0x41
	.long	.LLST9
	.long	.LVUS9
	.byte	0
	.uleb128 0x7
	.quad	.LVL18
	.long	0x449
	.long	0x3a1
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x3
	.byte	0xa
	.value	0x1770
	.byte	0
	.uleb128 0x8
	.quad	.LVL21
	.long	0x3c4
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	ledger
	.uleb128 0x2
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x3
	.byte	0xa
	.value	0x1000
	.byte	0
	.byte	0
	.uleb128 0x6
	.long	.LASF27
	.byte	0x1c
	.byte	0x13
	.long	0x41
	.quad	.LFB23
	.quad	.LFE23-.LFB23
	.uleb128 0x1
	.byte	0x9c
	.long	0x444
	.uleb128 0x4
	.long	.LASF28
	.byte	0x1c
	.byte	0x31
	.long	0x444
	.long	.LLST1
	.long	.LVUS1
	.uleb128 0x1e
	.string	"n"
	.byte	0x1
	.byte	0x1c
	.byte	0x3f
	.long	0x2e
	.long	.LLST2
	.long	.LVUS2
	.uleb128 0x3
	.string	"a"
	.byte	0x1e
	.byte	0xe
	.long	0x41
	.long	.LLST3
	.long	.LVUS3
	.uleb128 0x3
	.string	"b"
	.byte	0x1e
	.byte	0x15
	.long	0x41
	.long	.LLST4
	.long	.LVUS4
	.uleb128 0x1f
	.long	.LLRL5
	.uleb128 0x3
	.string	"i"
	.byte	0x20
	.byte	0x11
	.long	0x2e
	.long	.LLST6
	.long	.LVUS6
	.byte	0
	.byte	0
	.uleb128 0x5
	.long	0x54
	.uleb128 0x20
	.long	.LASF32
	.byte	0x1
	.byte	0x16
	.byte	0xf
	.quad	.LFB22
	.quad	.LFE22-.LFB22
	.uleb128 0x1
	.byte	0x9c
	.long	0x499
	.uleb128 0x21
	.long	.LASF33
	.byte	0x1
	.byte	0x16
	.byte	0x23
	.long	0x41
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x22
	.quad	.LBB5
	.quad	.LBE5-.LBB5
	.uleb128 0x3
	.string	"i"
	.byte	0x18
	.byte	0x13
	.long	0x41
	.long	.LLST0
	.long	.LVUS0
	.byte	0
	.byte	0
	.uleb128 0x23
	.long	.LASF34
	.byte	0x2
	.byte	0x19
	.byte	0x1
	.long	0x129
	.byte	0x3
	.uleb128 0x24
	.long	.LASF35
	.byte	0x2
	.byte	0x19
	.byte	0x1
	.long	0xb3
	.byte	0
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0x49
	.byte	0
	.uleb128 0x2
	.uleb128 0x18
	.uleb128 0x7e
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0x16
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0x5
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x55
	.uleb128 0x17
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xc
	.uleb128 0x26
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xd
	.uleb128 0x37
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xe
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0xf
	.uleb128 0x48
	.byte	0
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x10
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x1f
	.uleb128 0x1b
	.uleb128 0x1f
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x11
	.uleb128 0x35
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x12
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x8
	.byte	0
	.byte	0
	.uleb128 0x13
	.uleb128 0x4
	.byte	0x1
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x14
	.uleb128 0x28
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x1c
	.uleb128 0x5
	.byte	0
	.byte	0
	.uleb128 0x15
	.uleb128 0x1
	.byte	0x1
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x16
	.uleb128 0x21
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2f
	.uleb128 0x5
	.byte	0
	.byte	0
	.uleb128 0x17
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x18
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0x5
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x19
	.uleb128 0x18
	.byte	0
	.byte	0
	.byte	0
	.uleb128 0x1a
	.uleb128 0x2e
	.byte	0
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3c
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x1b
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1c
	.uleb128 0x1d
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x58
	.uleb128 0xb
	.uleb128 0x59
	.uleb128 0xb
	.uleb128 0x57
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x1d
	.uleb128 0x5
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1e
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1f
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x55
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x20
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x21
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x22
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.byte	0
	.byte	0
	.uleb128 0x23
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x20
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x24
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_loc3-.Ldebug_loc2
.Ldebug_loc2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.Ldebug_loc0:
.LVUS13:
	.uleb128 0
	.uleb128 .LVU85
	.uleb128 .LVU85
	.uleb128 .LVU96
	.uleb128 .LVU96
	.uleb128 .LVU100
	.uleb128 .LVU100
	.uleb128 0
.LLST13:
	.byte	0x4
	.uleb128 .LVL30-.Ltext0
	.uleb128 .LVL31-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL31-.Ltext0
	.uleb128 .LVL34-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL34-.Ltext0
	.uleb128 .LVL35-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL35-.Ltext0
	.uleb128 .LFE26-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS14:
	.uleb128 0
	.uleb128 .LVU85
	.uleb128 .LVU85
	.uleb128 .LVU96
	.uleb128 .LVU96
	.uleb128 .LVU101
	.uleb128 .LVU101
	.uleb128 0
.LLST14:
	.byte	0x4
	.uleb128 .LVL30-.Ltext0
	.uleb128 .LVL31-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL31-.Ltext0
	.uleb128 .LVL34-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL34-.Ltext0
	.uleb128 .LVL36-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL36-.Ltext0
	.uleb128 .LFE26-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0
.LVUS15:
	.uleb128 .LVU85
	.uleb128 .LVU96
.LLST15:
	.byte	0x4
	.uleb128 .LVL31-.Ltext0
	.uleb128 .LVL34-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0
.LVUS16:
	.uleb128 .LVU90
	.uleb128 .LVU96
	.uleb128 .LVU104
	.uleb128 .LVU119
.LLST16:
	.byte	0x4
	.uleb128 .LVL33-.Ltext0
	.uleb128 .LVL34-.Ltext0
	.uleb128 0x1
	.byte	0x5e
	.byte	0x4
	.uleb128 .LVL39-.Ltext0
	.uleb128 .LVL50-.Ltext0
	.uleb128 0x1
	.byte	0x5e
	.byte	0
.LVUS17:
	.uleb128 .LVU91
	.uleb128 .LVU96
	.uleb128 .LVU104
	.uleb128 .LVU106
	.uleb128 .LVU106
	.uleb128 .LVU108
	.uleb128 .LVU108
	.uleb128 .LVU109
	.uleb128 .LVU110
	.uleb128 .LVU118
.LLST17:
	.byte	0x4
	.uleb128 .LVL33-.Ltext0
	.uleb128 .LVL34-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL39-.Ltext0
	.uleb128 .LVL41-.Ltext0
	.uleb128 0x1
	.byte	0x5d
	.byte	0x4
	.uleb128 .LVL41-.Ltext0
	.uleb128 .LVL42-1-.Ltext0
	.uleb128 0x6
	.byte	0x7d
	.sleb128 0
	.byte	0x70
	.sleb128 0
	.byte	0x27
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL42-1-.Ltext0
	.uleb128 .LVL43-.Ltext0
	.uleb128 0x6
	.byte	0x7d
	.sleb128 0
	.byte	0x73
	.sleb128 0
	.byte	0x27
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL44-.Ltext0
	.uleb128 .LVL49-.Ltext0
	.uleb128 0x1
	.byte	0x5d
	.byte	0
.LVUS19:
	.uleb128 .LVU93
	.uleb128 .LVU96
	.uleb128 .LVU104
	.uleb128 .LVU117
.LLST19:
	.byte	0x4
	.uleb128 .LVL33-.Ltext0
	.uleb128 .LVL34-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL39-.Ltext0
	.uleb128 .LVL48-.Ltext0
	.uleb128 0x1
	.byte	0x5c
	.byte	0
.LVUS20:
	.uleb128 .LVU96
	.uleb128 .LVU101
	.uleb128 .LVU101
	.uleb128 .LVU102
.LLST20:
	.byte	0x4
	.uleb128 .LVL34-.Ltext0
	.uleb128 .LVL36-.Ltext0
	.uleb128 0x2
	.byte	0x74
	.sleb128 8
	.byte	0x4
	.uleb128 .LVL36-.Ltext0
	.uleb128 .LVL37-1-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0
.LVUS10:
	.uleb128 0
	.uleb128 .LVU65
	.uleb128 .LVU65
	.uleb128 .LVU80
	.uleb128 .LVU80
	.uleb128 0
.LLST10:
	.byte	0x4
	.uleb128 .LVL23-.Ltext0
	.uleb128 .LVL24-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL24-.Ltext0
	.uleb128 .LVL29-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL29-.Ltext0
	.uleb128 .LFE25-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS12:
	.uleb128 .LVU68
	.uleb128 .LVU71
	.uleb128 .LVU71
	.uleb128 .LVU76
.LLST12:
	.byte	0x4
	.uleb128 .LVL25-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL27-.Ltext0
	.uleb128 0xd
	.byte	0x72
	.sleb128 0
	.byte	0x3
	.quad	ledger
	.byte	0x1c
	.byte	0x9f
	.byte	0
.LVUS7:
	.uleb128 0
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU61
	.uleb128 .LVU61
	.uleb128 0
.LLST7:
	.byte	0x4
	.uleb128 .LVL16-.Ltext0
	.uleb128 .LVL17-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL17-.Ltext0
	.uleb128 .LVL22-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL22-.Ltext0
	.uleb128 .LFE24-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS9:
	.uleb128 .LVU49
	.uleb128 .LVU52
	.uleb128 .LVU52
	.uleb128 .LVU57
.LLST9:
	.byte	0x4
	.uleb128 .LVL18-.Ltext0
	.uleb128 .LVL19-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL19-.Ltext0
	.uleb128 .LVL20-.Ltext0
	.uleb128 0xd
	.byte	0x72
	.sleb128 0
	.byte	0x3
	.quad	ledger
	.byte	0x1c
	.byte	0x9f
	.byte	0
.LVUS1:
	.uleb128 0
	.uleb128 .LVU20
	.uleb128 .LVU20
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU41
	.uleb128 .LVU41
	.uleb128 0
.LLST1:
	.byte	0x4
	.uleb128 .LVL5-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x1
	.byte	0x58
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL15-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LFE23-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0
.LVUS2:
	.uleb128 0
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU41
	.uleb128 .LVU41
	.uleb128 0
.LLST2:
	.byte	0x4
	.uleb128 .LVL5-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL15-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LFE23-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0
.LVUS3:
	.uleb128 .LVU17
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU28
	.uleb128 .LVU29
	.uleb128 .LVU36
	.uleb128 .LVU41
	.uleb128 0
.LLST3:
	.byte	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x2
	.byte	0x31
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0x4
	.uleb128 .LVL10-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LFE23-.Ltext0
	.uleb128 0x2
	.byte	0x31
	.byte	0x9f
	.byte	0
.LVUS4:
	.uleb128 .LVU17
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU32
	.uleb128 .LVU33
	.uleb128 .LVU36
	.uleb128 .LVU41
	.uleb128 0
.LLST4:
	.byte	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL11-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LFE23-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0
.LVUS6:
	.uleb128 .LVU19
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU34
	.uleb128 .LVU34
	.uleb128 .LVU35
	.uleb128 .LVU35
	.uleb128 .LVU36
	.uleb128 .LVU41
	.uleb128 0
.LLST6:
	.byte	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL12-.Ltext0
	.uleb128 0x7
	.byte	0x78
	.sleb128 0
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x1c
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL13-.Ltext0
	.uleb128 0x9
	.byte	0x78
	.sleb128 0
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x1c
	.byte	0x23
	.uleb128 0x1
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x7
	.byte	0x78
	.sleb128 0
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x1c
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LFE23-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0
.LVUS0:
	.uleb128 .LVU4
	.uleb128 .LVU6
	.uleb128 .LVU6
	.uleb128 .LVU12
.LLST0:
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL4-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0
.Ldebug_loc3:
	.section	.debug_aranges,"",@progbits
	.long	0x2c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_rnglists,"",@progbits
.Ldebug_ranges0:
	.long	.Ldebug_ranges3-.Ldebug_ranges2
.Ldebug_ranges2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.LLRL5:
	.byte	0x4
	.uleb128 .LBB6-.Ltext0
	.uleb128 .LBE6-.Ltext0
	.byte	0x4
	.uleb128 .LBB7-.Ltext0
	.uleb128 .LBE7-.Ltext0
	.byte	0
.LLRL8:
	.byte	0x4
	.uleb128 .LBB8-.Ltext0
	.uleb128 .LBE8-.Ltext0
	.byte	0x4
	.uleb128 .LBB9-.Ltext0
	.uleb128 .LBE9-.Ltext0
	.byte	0
.LLRL11:
	.byte	0x4
	.uleb128 .LBB10-.Ltext0
	.uleb128 .LBE10-.Ltext0
	.byte	0x4
	.uleb128 .LBB11-.Ltext0
	.uleb128 .LBE11-.Ltext0
	.byte	0
.LLRL18:
	.byte	0x4
	.uleb128 .LBB12-.Ltext0
	.uleb128 .LBE12-.Ltext0
	.byte	0x4
	.uleb128 .LBB13-.Ltext0
	.uleb128 .LBE13-.Ltext0
	.byte	0x4
	.uleb128 .LBB16-.Ltext0
	.uleb128 .LBE16-.Ltext0
	.byte	0
.Ldebug_ranges3:
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF9:
	.string	"size_t"
.LASF16:
	.string	"lock_word"
.LASF24:
	.string	"withdraw"
.LASF13:
	.string	"clock_t"
.LASF27:
	.string	"checksum"
.LASF4:
	.string	"unsigned char"
.LASF2:
	.string	"long unsigned int"
.LASF5:
	.string	"short unsigned int"
.LASF29:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O1 -p -falign-functions=16 -fasynchronous-unwind-tables"
.LASF30:
	.string	"LEDGER"
.LASF17:
	.string	"double"
.LASF23:
	.string	"main"
.LASF25:
	.string	"amount"
.LASF31:
	.string	"clock"
.LASF18:
	.string	"strtod"
.LASF3:
	.string	"unsigned int"
.LASF35:
	.string	"__nptr"
.LASF14:
	.string	"long long unsigned int"
.LASF34:
	.string	"atof"
.LASF32:
	.string	"Mutex_lock"
.LASF20:
	.string	"argc"
.LASF10:
	.string	"__clock_t"
.LASF12:
	.string	"long long int"
.LASF22:
	.string	"seconds"
.LASF11:
	.string	"char"
.LASF19:
	.string	"printf"
.LASF7:
	.string	"short int"
.LASF15:
	.string	"ledger"
.LASF21:
	.string	"argv"
.LASF8:
	.string	"long int"
.LASF28:
	.string	"bytes"
.LASF6:
	.string	"signed char"
.LASF33:
	.string	"spins"
.LASF26:
	.string	"deposit"
	.section	.debug_line_str,"MS",@progbits,1
.LASF1:
	.string	"/src"
.LASF0:
	.string	"bank.c"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
