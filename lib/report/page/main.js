// The page of pbcat --flame: files of this directory only declare; what runs
// starts here, once all of them have been read.
