module org.torchnnapi.driver.cpu {
    requires org.torchnnapi.nnapi;
    requires org.torchnnapi.kernels;
}
