# bank.c, by gcc 12.2.0: gcc -pg -O1 -S
# ld: --section-start=.text=0x11e9 --build-id=0x9c77083f337109dafabd4f4076efd77377003132
	.file	"bank.c"
	.text
	.globl	Mutex_lock
	.type	Mutex_lock, @function
Mutex_lock:
.LFB22:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
1:	call	*mcount@GOTPCREL(%rip)
	testl	%edi, %edi
	je	.L1
	movl	$0, %edx
.L3:
	movl	lock_word(%rip), %eax
	imull	$1664525, %eax, %eax
	addl	$1013904223, %eax
	movl	%eax, lock_word(%rip)
	addl	$1, %edx
	cmpl	%edx, %edi
	jne	.L3
.L1:
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE22:
	.size	Mutex_lock, .-Mutex_lock
	.globl	checksum
	.type	checksum, @function
checksum:
.LFB23:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
1:	call	*mcount@GOTPCREL(%rip)
	testq	%rsi, %rsi
	je	.L8
	movq	%rdi, %r8
	addq	%rsi, %rdi
	movl	$0, %eax
	movl	$1, %edx
	movl	$2147975281, %esi
.L7:
	movzbl	(%r8), %ecx
	addl	%edx, %ecx
	movl	%ecx, %edx
	imulq	%rsi, %rdx
	shrq	$47, %rdx
	imull	$65521, %edx, %r9d
	subl	%r9d, %ecx
	movl	%ecx, %edx
	leal	(%rcx,%rax), %ecx
	movl	%ecx, %eax
	imulq	%rsi, %rax
	shrq	$47, %rax
	imull	$65521, %eax, %r9d
	movl	%ecx, %eax
	subl	%r9d, %eax
	addq	$1, %r8
	cmpq	%rdi, %r8
	jne	.L7
.L6:
	sall	$16, %eax
	orl	%edx, %eax
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L8:
	.cfi_restore_state
	movl	$0, %eax
	movl	$1, %edx
	jmp	.L6
	.cfi_endproc
.LFE23:
	.size	checksum, .-checksum
	.globl	deposit
	.type	deposit, @function
deposit:
.LFB24:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
1:	call	*mcount@GOTPCREL(%rip)
	movl	%edi, %ebx
	movl	$6000, %edi
	call	Mutex_lock
	leaq	ledger(%rip), %rax
	leaq	4096(%rax), %r8
	movq	%rax, %rcx
	movl	$1, %edi
	subl	%eax, %edi
.L11:
	leal	(%rdi,%rcx), %esi
	movl	%ebx, %eax
	movl	$0, %edx
	divl	%esi
	addb	%dl, (%rcx)
	addq	$1, %rcx
	cmpq	%r8, %rcx
	jne	.L11
	movl	$4096, %esi
	leaq	ledger(%rip), %rdi
	call	checksum
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE24:
	.size	deposit, .-deposit
	.globl	withdraw
	.type	withdraw, @function
withdraw:
.LFB25:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
1:	call	*mcount@GOTPCREL(%rip)
	movl	%edi, %ebx
	movl	$2000, %edi
	call	Mutex_lock
	leaq	ledger(%rip), %rax
	leaq	4096(%rax), %r8
	movq	%rax, %rcx
	movl	$1, %edi
	subl	%eax, %edi
.L14:
	leal	(%rdi,%rcx), %esi
	movl	%ebx, %eax
	movl	$0, %edx
	divl	%esi
	subb	%dl, (%rcx)
	addq	$1, %rcx
	cmpq	%r8, %rcx
	jne	.L14
	movl	$4096, %esi
	leaq	ledger(%rip), %rdi
	call	checksum
	movq	-8(%rbp), %rbx
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
	.globl	main
	.type	main, @function
main:
.LFB26:
	.cfi_startproc
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
	movq	.LC0(%rip), %rbx
	cmpl	$1, %edi
	jg	.L21
.L17:
	call	clock@PLT
	movq	%rbx, %xmm0
	mulsd	.LC1(%rip), %xmm0
	cvttsd2siq	%xmm0, %r14
	addq	%rax, %r14
	movl	$0, %r12d
	movl	$0, %r13d
	jmp	.L18
.L21:
	movq	8(%rsi), %rdi
	movl	$0, %esi
	call	strtod@PLT
	movq	%xmm0, %rbx
	jmp	.L17
.L19:
	movl	%r12d, %edi
	call	deposit
	movl	%eax, %ebx
	movl	%r12d, %edi
	shrl	%edi
	call	withdraw
	xorl	%eax, %ebx
	xorl	%ebx, %r13d
	addl	$1, %r12d
.L18:
	call	clock@PLT
	cmpq	%r14, %rax
	jl	.L19
	movl	%r13d, %esi
	leaq	.LC2(%rip), %rdi
	movl	$0, %eax
	call	printf@PLT
	movl	$0, %eax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
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
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
