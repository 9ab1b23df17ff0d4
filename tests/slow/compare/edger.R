# edger.R COMPARISONS COUNTS - what edgeR says of the counts of simulate.c
#
# Prints the lines that `simulate` printed, which are in the file COMPARISONS,
# with edgeR's answers: quasi-likelihood F tests, Benjamini and Hochberg's
# correction, 5 %.
suppressMessages(library(edgeR))
names <- commandArgs(TRUE)
comparisons <- read.table(names[1])
counts <- as.matrix(read.table(names[2]))
runs <- nrow(counts) / nrow(comparisons) / 2
side <- factor(rep(0:1, each = runs))
design <- model.matrix(~side)
for (i in seq_len(nrow(comparisons))) {
    rows <- ((i - 1) * 2 * runs + 1):(i * 2 * runs)
    y <- DGEList(t(counts[rows, ]), group = side)
    y <- estimateDisp(y, design)
    test <- glmQLFTest(glmQLFit(y, design), coef = 2)$table
    any <- any(p.adjust(test$PValue, "BH") <= 0.05)
    planted <- comparisons[i, 1] + 1
    p <- if (planted > 0 && test$logFC[planted] > 0) test$PValue[planted] else 1
    cat(comparisons[i, 1], comparisons[i, 2], as.integer(any),
        min(test$PValue), p, "\n")
}
